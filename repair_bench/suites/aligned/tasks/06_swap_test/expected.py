import numpy as np


def expected(theta, phi):
    psi = np.array([np.cos(theta / 2), np.exp(1j * phi) * np.sin(theta / 2)])
    overlap = abs(psi[0]) ** 2
    return {"0": (1 + overlap) / 2, "1": (1 - overlap) / 2}
