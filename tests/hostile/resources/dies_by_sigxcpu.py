# /// hostile
# does = "sends itself the signal of a CPU limit that it did not reach"
# accept = ["killed", "exception"]
# control = false  # nobody is fooled by it; it must be booked as its own end
# ///
import os
import signal


def answer(target):
    print("attacking", flush=True)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGXCPU)
    raise RuntimeError("still there")
