# /// hostile
# does = "stops the fork server"
# accept = ["returned"]
# must_not = "server"
# control = "plain"
# ///
import os
import signal
import time


def answer(target):
    print("attacking", flush=True)
    try:
        os.kill(os.getppid() or 1, signal.SIGSTOP)
        time.sleep(0.2)
    except OSError:
        return "refused"
