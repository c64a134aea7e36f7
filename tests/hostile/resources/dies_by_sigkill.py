# does = "kills itself with SIGKILL, which looks as if the machine had no memory left"
# accept = ["killed", "exception"]
# control = false  # nobody is fooled by it; it must be booked as its own end
import os
import signal

    os.kill(os.getpid(), signal.SIGKILL)
    raise RuntimeError("still there")
