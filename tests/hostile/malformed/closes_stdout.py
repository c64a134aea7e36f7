# does = "closes its output before it returns"
# accept = ["returned"]
import sys


def answer():
    sys.stdout.close()
    sys.stderr.close()
    return 1
