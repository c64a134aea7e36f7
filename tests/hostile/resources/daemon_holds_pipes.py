# does = "leaves a daemon behind that keeps the pipes of its result and its output open"
# accept = ["exception", "returned"]
# must_not = "process"
# control = "plain"
import os
import time

    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
    time.sleep(0.2)
