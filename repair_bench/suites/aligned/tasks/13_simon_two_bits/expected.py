import numpy as np


def expected(s):
    period = int(s, 2)
    state = np.zeros((4, 4))
    for x in range(4):
        f = min(x, x ^ period)  # the first 1 of the period decides which of the two is smaller
        for y in range(4):
            state[y, f] += (-1) ** (x & y).bit_count() / 4
    return state.ravel()
