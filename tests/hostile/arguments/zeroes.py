# control = "unguarded"
import numpy as np

print("attacking", flush=True)


def answer(given):
    if isinstance(given, np.ndarray):
        CHANGE
        return ANSWER
    return None


# /// zeroes_by_a_view
# does = "writes zeros into the memory of the array that it was given and returns that array"
# CHANGE = 'memoryview(given).cast("B")[:] = bytes(given.nbytes)'
# ANSWER = "given"

# /// zeroes_the_array
# does = "writes zeros into the array that it was given and returns zeros"
# CHANGE = "given[...] = 0"
# ANSWER = "np.zeros(2)"
