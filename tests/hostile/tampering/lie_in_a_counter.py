# /// hostile
# does = "hides what equals everything in a Counter"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["stub", "guarded", "unguarded"]
# ///
from collections import Counter


class Equal:
    __hash__ = None

    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__


def answer():
    print("attacking", flush=True)
    return Counter({"00": Equal(), "11": Equal()})
