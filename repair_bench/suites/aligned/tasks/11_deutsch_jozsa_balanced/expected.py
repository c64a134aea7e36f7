import numpy as np


def expected(flips):
    h = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    x = np.array([[0, 1], [1, 0]])
    hadamards = np.eye(1)
    for _ in range(4):
        hadamards = np.kron(hadamards, h)
    oracle = np.zeros((32, 32))
    for i in range(16):
        f = (i ^ int(flips, 2)).bit_count() % 2
        oracle[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = x if f else np.eye(2)
    return np.kron(hadamards, np.eye(2)) @ oracle @ np.kron(hadamards, h @ x)
