from itertools import product

import numpy as np


def expected(angles):
    state = np.zeros((8, 8, 2), complex)
    for bits in product((0, 1), repeat=6):
        a = 4 * bits[0] + 2 * bits[1] + bits[2]
        b = 4 * bits[3] + 2 * bits[4] + bits[5]
        factors = [np.sin(t / 2) if bit else np.cos(t / 2) for t, bit in zip(angles, bits, strict=True)]
        state[a, (a - b) % 8, 0] = np.prod(factors)
    return state.ravel()
