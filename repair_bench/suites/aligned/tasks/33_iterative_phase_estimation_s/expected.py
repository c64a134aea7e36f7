import numpy as np


def expected(phi):
    # the results of k rounds are distributed as the k bits, read backwards, of ordinary phase estimation
    x = np.arange(4)
    amplitudes = [np.mean(np.exp(1j * x * (phi - 2 * np.pi * y / 4))) for y in range(4)]
    return {format(y, "02b")[::-1]: abs(a) ** 2 for y, a in enumerate(amplitudes)}
