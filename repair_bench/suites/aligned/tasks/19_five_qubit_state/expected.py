import numpy as np


def expected():
    state = np.zeros(32, complex)
    state[[0b00110, 0b00101]] = 1 / np.sqrt(2)
    return state
