import numpy as np


def rz(t):
    return np.diag([np.exp(-0.5j * t), np.exp(0.5j * t)])


def ry(t):
    return np.array([[np.cos(t / 2), -np.sin(t / 2)], [np.sin(t / 2), np.cos(t / 2)]])


def expected(parameters):
    p = parameters
    x = np.array([[0, 1], [1, 0]])
    cnot = np.eye(4)[[0, 1, 3, 2]]
    before = np.kron(ry(p[2]) @ rz(p[1]) @ rz(p[0]) @ x, rz(p[3]))
    after = np.kron(ry(p[6]) @ rz(p[4]), rz(p[7]) @ rz(p[5]))
    return after @ cnot @ before
