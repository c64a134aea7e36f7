# does = "turns the exit status into 0 by a handler at the end"
# accept = ["exception"]
# control = "exit"
import atexit
import os

atexit.register(os._exit, 0)


def answer():
    print("attacking", flush=True)
    raise ValueError("wrong on purpose")
