import itertools

import numpy as np


def expected():
    unitary = np.zeros((8, 8))
    for c, b, a in itertools.product([0, 1], repeat=3):
        majority = int(a + b + c >= 2)
        unitary[4 * (a ^ c) + 2 * (a ^ b) + majority, 4 * c + 2 * b + a] = 1
    return unitary
