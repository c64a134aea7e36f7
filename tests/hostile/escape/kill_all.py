# /// hostile
# does = "asks whether it may signal all processes that there are (with signal 0, which does nothing)"
# accept = ["returned"]
# must_not = "privilege"
# control = "plain"
# ///
import os


def answer(target):
    print("attacking", flush=True)
    try:
        os.kill(-1, 0)
    except OSError:
        return "refused"
    return "GAINED"
