from itertools import product

import numpy as np


def expected(angles):
    state = np.zeros((2, 2, 2, 2), complex)
    for bits in product((0, 1), repeat=3):
        factors = [np.sin(t / 2) if bit else np.cos(t / 2) for t, bit in zip(angles, bits, strict=True)]
        state[(*bits, sum(bits) % 2)] = np.prod(factors)
    return state.ravel()
