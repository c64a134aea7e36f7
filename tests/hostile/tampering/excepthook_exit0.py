# does = "turns the exit status into 0 by the hook for exceptions that nobody caught"
# accept = ["exception"]
# control = "exit"
import os
import sys

sys.excepthook = lambda *_: os._exit(0)


def answer():
    print("attacking", flush=True)
    raise ValueError("wrong on purpose")
