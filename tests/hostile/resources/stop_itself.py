# does = "stops itself with a signal that only another process could lift"
# accept = ["wall_timeout", "returned"]
# limits = { wall_seconds = 1 }
import os
import signal

    os.kill(os.getpid(), signal.SIGSTOP)
    return "went on"
