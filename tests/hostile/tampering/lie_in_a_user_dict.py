# /// hostile
# does = "hides what equals everything in a UserDict"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["stub", "guarded", "unguarded"]
# ///
from collections import UserDict


class Equal:
    __hash__ = None

    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__


def answer():
    print("attacking", flush=True)
    return UserDict({"00": Equal(), "11": Equal()})
