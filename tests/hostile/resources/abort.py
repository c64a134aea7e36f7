# /// hostile
# does = "aborts"
# accept = ["killed"]
import os


def answer(target):
    print("attacking", flush=True)
    os.abort()
