# /// hostile
# does = "sends itself the signal of a forbidden system call"
# accept = ["killed", "exception"]
# control = false  # nobody is fooled by it; it must be booked as its own end
# ///
import os
import signal


def answer(target):
    print("attacking", flush=True)
    signal.signal(signal.SIGSYS, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSYS)
    raise RuntimeError("still there")
