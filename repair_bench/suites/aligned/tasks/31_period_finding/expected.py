import numpy as np


def expected(start):
    state = np.zeros((8, 16), complex)
    for x in range(8):
        for y in range(8):
            state[y, 7**x * start % 15] += np.exp(-2j * np.pi * x * y / 8) / 8
    return state.ravel()
