# does = "registers an exit handler that sleeps"
# accept = ["returned"]
import atexit
import time


def answer(target):
    atexit.register(time.sleep, 10**6)
    print("attacking", flush=True)
    return "returned"
