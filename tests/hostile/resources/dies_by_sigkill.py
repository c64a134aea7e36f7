# does = "kills itself with SIGKILL, which looks as if the machine had no memory left"
# accept = ["killed", "exception"]
# control = false  # it deceives no grader; it must be recorded as its own end
import os
import signal

    os.kill(os.getpid(), signal.SIGKILL)
    raise RuntimeError("still there")
