# does = "lets a signal handler leave with exit status 0"
# accept = ["exception"]
# control = "exit"
import os
import signal
import time

    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(2)
