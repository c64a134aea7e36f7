# does = "turns the exit status into 0 with the hook for uncaught exceptions"
# accept = ["exception"]
# control = "exit"
import os
import sys

sys.excepthook = lambda *_: os._exit(0)


def answer():
    print("attacking", flush=True)
    raise ValueError("wrong on purpose")
