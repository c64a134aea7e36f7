# /// hostile
# does = "sends itself an alarm without a handler"
# accept = ["killed", "exception"]
# control = false  # nobody is fooled by it; it must be booked as its own end
# ///
import os
import signal


def answer(target):
    print("attacking", flush=True)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGALRM)
    raise RuntimeError("still there")
