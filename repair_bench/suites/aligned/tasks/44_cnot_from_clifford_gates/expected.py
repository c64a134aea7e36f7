import numpy as np


def expected():
    return np.eye(4, dtype=complex)[[0, 1, 3, 2]]
