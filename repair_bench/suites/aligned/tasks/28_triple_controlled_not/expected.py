import numpy as np


def expected():
    unitary = np.zeros((32, 32), complex)
    for column in range(32):
        controls = column >> 2 == 0b111
        unitary[column, column] = not controls
        unitary[column ^ 1, column] = controls
    return unitary
