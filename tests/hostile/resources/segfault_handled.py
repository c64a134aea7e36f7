# does = "reads from address zero over and over, with a handler that returns to the same instruction"
# accept = ["cpu_timeout"]
import ctypes
import signal


def answer(target):
    signal.signal(signal.SIGSEGV, lambda *_: None)
    print("attacking", flush=True)
    ctypes.string_at(0)
