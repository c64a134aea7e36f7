# /// hostile
# does = "sends itself the signal to end"
# accept = ["killed", "exception"]
# control = false  # nobody is fooled by it; it must be booked as its own end
# ///
import os
import signal


def answer(target):
    print("attacking", flush=True)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)
    raise RuntimeError("still there")
