import numpy as np


def expected(theta):
    psi = np.array([np.cos(theta / 2), np.sin(theta / 2)])
    h = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    mean = psi @ h @ psi
    return {"0": (1 + mean) / 2, "1": (1 - mean) / 2}
