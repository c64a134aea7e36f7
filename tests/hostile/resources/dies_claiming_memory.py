# does = "prints the message of a failed allocation, and kills itself"
# accept = ["killed", "exception", "memory"]
# control = false  # it deceives no grader; it must be recorded as its own end
import os
import signal

    os.write(2, b"std::bad_alloc\nCannot allocate memory\nMemoryError\n")
    os.kill(os.getpid(), signal.SIGKILL)
    raise RuntimeError("still there")
