# /// hostile
# does = "hides what equals everything in an array of objects"
# accept = ["wrong_answer", "exception"]
# control = false  # the naive tests make numbers of an array
# before = []
# ///
import numpy as np


class Equal:
    __hash__ = None

    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__


def answer():
    print("attacking", flush=True)
    return np.array([Equal()] * 4, dtype=object)
