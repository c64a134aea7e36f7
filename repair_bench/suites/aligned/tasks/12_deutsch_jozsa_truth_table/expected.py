import numpy as np


def expected(truth_table):
    signs = np.array([(-1) ** int(bit) for bit in truth_table])
    amplitudes = [sum(sign * (-1) ** (x & y).bit_count() for x, sign in enumerate(signs)) / 16 for y in range(16)]
    return {format(y, "04b"): float(amplitude**2) for y, amplitude in enumerate(amplitudes)}
