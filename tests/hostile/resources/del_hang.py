# does = "sleeps when its last object is destroyed"
# accept = ["returned"]
import time


class Reluctant:
    def __del__(self):
        time.sleep(10**6)


reluctant = Reluctant()


def answer(target):
    print("attacking", flush=True)
    return "returned"
