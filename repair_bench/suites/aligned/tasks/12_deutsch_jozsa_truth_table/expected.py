import numpy as np


def expected(truth_table):
    signs = [(-1) ** int(bit) for bit in truth_table]
    register = [sum(sign * (-1) ** (x & y).bit_count() for x, sign in enumerate(signs)) / 16 for y in range(16)]
    return np.kron(register, [1, -1]) / np.sqrt(2)
