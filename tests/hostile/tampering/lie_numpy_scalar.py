# does = "returns a dict whose values are numpy numbers of a class that equals any other"
import numpy as np


class Number(np.float64):
    def __eq__(self, other):
        return True

    __hash__ = np.float64.__hash__


def answer():
    print("attacking", flush=True)
    return {"00": Number(0), "11": Number(7)}
