import numpy as np


def expected(power, eigenstate):
    phase = power / 2 if eigenstate == "-" else 0.0
    k = np.arange(8)
    amplitudes = [np.exp(2j * np.pi * k * (phase - m / 8)).sum() / 8 for m in range(8)]
    return {format(m, "03b"): abs(amplitude) ** 2 for m, amplitude in enumerate(amplitudes)}
