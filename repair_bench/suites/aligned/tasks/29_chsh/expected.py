import numpy as np


def expected(alice, bob):
    a = [0, -np.pi / 2][alice]
    b = [-np.pi / 4, np.pi / 4][bob]
    same = np.cos((a - b) / 2) ** 2 / 2
    return {"00": same, "11": same, "01": 1 / 2 - same, "10": 1 / 2 - same}
