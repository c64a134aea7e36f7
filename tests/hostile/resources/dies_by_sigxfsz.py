# /// hostile
# does = "sends itself the signal of a file size that it did not reach"
# accept = ["killed", "exception"]
# control = false  # nobody is fooled by it; it must be booked as its own end
# ///
import os
import signal


def answer(target):
    print("attacking", flush=True)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGXFSZ)
    raise RuntimeError("still there")
