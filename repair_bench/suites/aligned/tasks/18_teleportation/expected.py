import numpy as np


def expected(theta):
    # Alice's two bits are fair and independent of Bob's, who holds RX(pi/4) RX(theta)|0>
    one = np.sin((theta + np.pi / 4) / 2) ** 2
    return {f"{alice:02b}{bob}": p / 4 for alice in range(4) for bob, p in enumerate([1 - one, one])}
