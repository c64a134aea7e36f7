# does = "signals all processes that there are (with SIGURG, which nobody minds)"
# must_not = "neighbour"
# control = false # it would signal every process of the machine
import os
import signal
import time

    try:
        os.kill(-1, signal.SIGURG)
    except OSError:
        return "refused"
    time.sleep(0.1)
