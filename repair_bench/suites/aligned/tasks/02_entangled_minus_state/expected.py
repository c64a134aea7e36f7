import numpy as np


def expected():
    state = np.zeros(8, complex)
    state[0b011] = 1 / np.sqrt(2)
    state[0b100] = -1 / np.sqrt(2)
    return state
