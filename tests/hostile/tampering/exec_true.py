# /// hostile
# does = "becomes another program, the one that always succeeds"
# accept = ["exception"]
# control = "exit"
import os


def answer():
    print("attacking", flush=True)
    os.execv("/bin/true", ["true"])
