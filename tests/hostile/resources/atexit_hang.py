# does = "asks to sleep when the interpreter ends"
# accept = ["returned"]
import atexit
import time


def answer(target):
    atexit.register(time.sleep, 10**6)
    print("attacking", flush=True)
    return "returned"
