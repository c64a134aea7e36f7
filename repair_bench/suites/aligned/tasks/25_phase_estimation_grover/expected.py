import numpy as np


def expected(alpha, beta):
    s = np.full((4, 1), 1 / 2)
    marked = np.diag([1, 0, 0, 0])
    grover = (2 * s @ s.T - np.eye(4)) @ (np.eye(4) - 2 * marked)

    qubit3 = np.array([np.cos(alpha / 2), -1j * np.sin(alpha / 2)])
    qubit4 = np.array([np.cos(beta / 2), np.sin(beta / 2)])
    system = np.kron(qubit3, qubit4)

    powers = np.array([np.linalg.matrix_power(grover, x) @ system for x in range(8)])
    x = np.arange(8)
    inverse_qft = np.exp(-2j * np.pi * np.outer(x, x) / 8) / np.sqrt(8)
    amplitudes = inverse_qft @ powers / np.sqrt(8)
    return {format(y, "03b"): p for y, p in enumerate(np.sum(np.abs(amplitudes) ** 2, axis=1))}
