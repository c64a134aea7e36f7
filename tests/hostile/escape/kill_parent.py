# /// hostile
# does = "kills the fork server"
# accept = ["returned"]
# must_not = "server"
# control = "plain"
# quick = true
# ///
import os
import signal
import time


def answer(target):
    print("attacking", flush=True)
    try:
        os.kill(os.getppid() or 1, signal.SIGKILL)
        time.sleep(1)
    except OSError:
        return "refused"
