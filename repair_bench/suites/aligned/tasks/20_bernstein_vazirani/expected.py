import numpy as np


def expected(a):
    h = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    x = np.array([[0, 1], [1, 0]])
    hadamards = np.kron(np.kron(h, h), h)
    oracle = np.zeros((16, 16))
    for i in range(8):
        f = (i & int(a, 2)).bit_count() % 2
        oracle[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = x if f else np.eye(2)
    return np.kron(hadamards, np.eye(2)) @ oracle @ np.kron(hadamards, h @ x)
