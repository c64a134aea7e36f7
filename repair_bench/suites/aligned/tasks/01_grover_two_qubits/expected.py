import numpy as np


def expected(marked):
    oracle = np.eye(4)
    oracle[int(marked, 2), int(marked, 2)] = -1
    diffusion = np.full((4, 4), 1 / 2) - np.eye(4)
    h = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    return diffusion @ oracle @ np.kron(h, h)
