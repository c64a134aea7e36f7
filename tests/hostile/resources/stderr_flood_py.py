# /// hostile
# does = "prints to standard error without end"
# accept = ["output_limit"]
import sys


def answer(target):
    print("attacking", flush=True)
    while True:
        print("x" * 100_000, file=sys.stderr)
