import numpy as np


def expected(theta, phi):
    psi = np.array([np.cos(theta / 2), np.exp(1j * phi) * np.sin(theta / 2)])
    zero = np.array([1, 0])
    pair, swapped = np.kron(psi, zero), np.kron(zero, psi)
    # the ancilla is 0 for the symmetric part of the pair and 1 for the antisymmetric part
    return np.concatenate([pair + swapped, pair - swapped]) / 2
