import numpy as np


def u(theta, phi, lam):
    c, s = np.cos(theta / 2), np.sin(theta / 2)
    return np.array([[c, -np.exp(1j * lam) * s], [np.exp(1j * phi) * s, np.exp(1j * (phi + lam)) * c]])


def expected(param):
    p = param
    plus = np.array([1, 1]) / np.sqrt(2)
    cnot = np.eye(4)[[0, 1, 3, 2]]
    state = np.kron(u(*p[0:3]) @ plus, u(*p[3:6]) @ plus)
    # RY(t) is U(t, 0, 0)
    return np.kron(u(p[6], 0, 0), u(p[7], 0, 0)) @ cnot @ state
