# /// hostile
# does = "matches a regular expression that needs exponential time"
# accept = ["cpu_timeout"]
import re


def answer(target):
    print("attacking", flush=True)
    return re.match(r"(x+x+)+y", "x" * 64)
