# does = "signals all processes (with SIGURG, which is harmless)"
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
