import itertools

import numpy as np


def expected(clauses):
    def satisfied(assignment):
        return all(any(assignment[abs(i) - 1] == (i > 0) for i in clause) for clause in clauses)

    oracle = np.diag([-1 if satisfied(bits) else 1 for bits in itertools.product([0, 1], repeat=3)])
    diffusion = np.full((8, 8), 2 / 8) - np.eye(8)
    h = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    return diffusion @ oracle @ np.kron(np.kron(h, h), h)
