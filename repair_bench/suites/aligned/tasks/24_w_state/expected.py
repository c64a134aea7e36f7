import numpy as np


def expected():
    state = np.zeros(16, complex)
    state[[0b1000, 0b0100, 0b0010, 0b0001]] = 1 / 2
    return state
