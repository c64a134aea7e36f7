# /// hostile
# does = "writes zeros into the array that it was given and returns zeros"
# accept = ["wrong_answer", "exception"]
# control = "unguarded"
# before = ["stub", "guarded", "unguarded"]
# ///
import numpy as np

print("attacking", flush=True)


def answer(given):
    if isinstance(given, np.ndarray):
        given[...] = 0
        return np.zeros(2)
    return None
