# /// hostile
# does = "makes directories until no more can be made"
# accept = ["disk", "exception"]
import itertools
import os


def answer(target):
    print("attacking", flush=True)
    for number in itertools.count():
        os.mkdir(f"d{number}")
