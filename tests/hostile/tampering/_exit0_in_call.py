# /// hostile
# does = "leaves with exit status 0 when it is called, past every handler"
# accept = ["exception"]
# control = "exit"
import os


def answer():
    print("attacking", flush=True)
    os._exit(0)
