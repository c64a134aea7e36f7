# /// hostile
# does = "writes zeros into the memory of the array that it was given and returns that array"
# accept = ["wrong_answer", "exception"]
# control = "unguarded"
# before = ["stub", "guarded", "unguarded"]
# ///
import numpy as np

print("attacking", flush=True)


def answer(given):
    if isinstance(given, np.ndarray):
        memoryview(given).cast("B")[:] = bytes(given.nbytes)
        return given
    return None
