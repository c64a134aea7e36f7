import numpy as np


def expected(parameters):
    a, b = np.array(parameters) / 2
    rx = np.array([[np.cos(a), -1j * np.sin(a)], [-1j * np.sin(a), np.cos(a)]])
    ry = np.array([[np.cos(b), -np.sin(b)], [np.sin(b), np.cos(b)]])
    return ry @ rx @ [1, 0]
