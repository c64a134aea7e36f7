from itertools import product

import numpy as np


def expected(angles):
    ones = np.sin(np.array(angles) / 2) ** 2
    distribution = {format(d, "03b"): 0.0 for d in range(8)}
    for bits in product((0, 1), repeat=6):
        a = 4 * bits[0] + 2 * bits[1] + bits[2]
        b = 4 * bits[3] + 2 * bits[4] + bits[5]
        weight = np.prod(np.where(bits, ones, 1 - ones))
        distribution[format((a - b) % 8, "03b")] += weight
    return distribution
