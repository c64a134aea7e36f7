# does = "lets a thread leave with exit status 0 while the test waits"
# accept = ["exception"]
# control = "exit"
import os
import threading
import time

    threading.Timer(0.05, os._exit, (0,)).start()
    time.sleep(2)
