import numpy as np


def expected(theta, phi):
    psi = np.array([np.cos(theta / 2), np.exp(1j * phi) * np.sin(theta / 2)])
    zero = np.array([1, 0])
    pair, swapped = np.kron(psi, zero), np.kron(zero, psi)
    # the ancilla gives 0 with the symmetric part of the pair and 1 with the antisymmetric
    parts = [(pair + swapped) / 2, (pair - swapped) / 2]
    return {f"{ancilla}{i:02b}": abs(a) ** 2 for ancilla, part in enumerate(parts) for i, a in enumerate(part)}
