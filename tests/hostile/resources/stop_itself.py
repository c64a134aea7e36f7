# does = "suspends itself, until another process would continue it"
# accept = ["wall_timeout", "returned"]
# limits = { wall_seconds = 1 }
import os
import signal

    os.kill(os.getpid(), signal.SIGSTOP)
    return "went on"
