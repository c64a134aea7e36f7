import numpy as np


def expected(alpha, beta):
    A = np.array([[3, 0, 0, -1], [0, 7, -1, 0], [0, -1, 7, 0], [-1, 0, 0, 3]]) / 2
    b = np.kron([np.cos(alpha / 2), np.sin(alpha / 2)], [np.cos(beta / 2), np.sin(beta / 2)])
    values, vectors = np.linalg.eigh(A)
    values = values.round()
    # the ancilla of an eigenvector becomes sqrt(1 - 1/k^2)|0> + (1/k)|1>
    zero = vectors @ (np.sqrt(1 - 1 / values**2) * (vectors.T @ b))
    one = np.linalg.solve(A, b)
    return {
        f"{ancilla}000{row:02b}": amplitude**2
        for ancilla, branch in enumerate([zero, one])
        for row, amplitude in enumerate(branch)
    }
