# does = "leaves a daemon behind that has a session of its own and no descriptor open"
# accept = ["exception", "returned"]
# must_not = "process"
# control = "plain"
import os
import time

    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            time.sleep(60)
        os._exit(0)
    time.sleep(0.2)
