# does = "raises an exception that leaves the process when its message is read"
# accept = ["exception"]
# control = "exit"
import os


class Trap(BaseException):
    def __str__(self):
        os._exit(0)

    __repr__ = __str__


def answer():
    print("attacking", flush=True)
    raise Trap
