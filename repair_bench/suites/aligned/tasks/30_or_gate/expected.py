from itertools import product

import numpy as np


def expected():
    unitary = np.zeros((2, 2, 2, 2, 2, 2), complex)
    for a, b, c in product((0, 1), repeat=3):
        unitary[a, b, c ^ (a | b), a, b, c] = 1
    return unitary.reshape(8, 8)
