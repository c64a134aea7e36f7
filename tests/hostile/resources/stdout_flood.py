# /// hostile
# does = "writes to standard output without end"
# accept = ["output_limit"]
# quick = true
import os


def answer(target):
    print("attacking", flush=True)
    while True:
        os.write(1, b"x" * 65536)
