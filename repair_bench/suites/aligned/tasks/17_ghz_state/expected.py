import numpy as np


def expected():
    state = np.zeros(8, complex)
    state[[0b000, 0b111]] = 1 / np.sqrt(2)
    return state
