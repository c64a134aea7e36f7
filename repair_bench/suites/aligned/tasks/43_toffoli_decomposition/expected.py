import numpy as np


def expected():
    return np.eye(8, dtype=complex)[[0, 1, 2, 3, 4, 5, 7, 6]]
