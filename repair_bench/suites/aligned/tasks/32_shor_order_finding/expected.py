import numpy as np


def expected(a):
    after_powers = np.zeros((256, 16), complex)
    for x in range(256):
        after_powers[x, pow(a, x, 15)] = 1 / 16
    # numpy's forward transform has the sign of the inverse quantum one
    return (np.fft.fft(after_powers, axis=0) / 16).ravel()
