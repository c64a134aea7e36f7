# does = "returns an object that takes forever to print"
# accept = ["wall_timeout"]
# limits = { wall_seconds = 1 }
import time


class Slow:
    def __repr__(self):
        time.sleep(10**6)
        return "never"


def answer(target):
    print("attacking", flush=True)
    return Slow()
