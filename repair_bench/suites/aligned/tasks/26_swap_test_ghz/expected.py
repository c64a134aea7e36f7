from itertools import product

import numpy as np


def expected(angles):
    ghz = np.zeros((2, 2, 2))
    ghz[0, 0, 0] = ghz[1, 1, 1] = 1 / np.sqrt(2)
    both = ghz
    for angle in angles:
        both = np.multiply.outer(both, [np.cos(angle / 2), np.sin(angle / 2)])

    distribution = {}
    for outcome in product((0, 1), repeat=3):
        branch = both
        for i, bit in enumerate(outcome):
            # ancilla i reads 0 on the part that is symmetric under the swap and 1 on the antisymmetric part
            branch = (branch + (-1) ** bit * np.swapaxes(branch, i, i + 3)) / 2
        distribution["".join(map(str, outcome))] = np.sum(branch**2)
    return distribution
