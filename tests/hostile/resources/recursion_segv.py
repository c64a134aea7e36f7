# does = "raises the recursion limit and overflows the C stack"
# accept = ["killed", "exception", "memory"]
import sys


class Mirror:
    def __repr__(self):
        return repr(self)


def answer(target):
    sys.setrecursionlimit(2**31 - 1)
    print("attacking", flush=True)
    return repr(Mirror())
