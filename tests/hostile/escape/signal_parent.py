# must_not = "server"
import os
import signal
import time


def answer(target):
    print("attacking", flush=True)
    try:
        os.kill(os.getppid() or 1, signal.SIGNAL)
        time.sleep(SECONDS)
    except OSError:
        return "refused"


# /// kill_parent
# does = "kills the fork server"
# SIGNAL = "SIGKILL"
# SECONDS = "1"

# /// stop_parent
# does = "stops the fork server"
# SIGNAL = "SIGSTOP"
# SECONDS = "0.2"
