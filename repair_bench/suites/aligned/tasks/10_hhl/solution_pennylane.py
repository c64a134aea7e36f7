import numpy as np
import pennylane as qml
from scipy.linalg import expm

A = np.array([[3, 0, 0, -1], [0, 7, -1, 0], [0, -1, 7, 0], [-1, 0, 0, 3]]) / 2
clock = [1, 2, 3]
vector = [4, 5]


def phase_estimation():
    for i, control in enumerate(clock):
        qml.Hadamard(wires=control)
        evolution = expm(1j * A * np.pi / 4 * 2 ** (2 - i))
        qml.ControlledQubitUnitary(evolution, wires=[control, *vector])
    qml.adjoint(qml.QFT)(wires=clock)


def HHL_4x4(alpha, beta):
    dev = qml.device("default.qubit", wires=6)

    @qml.qnode(dev)
    def circuit():
        qml.RY(alpha, wires=4)
        qml.RY(beta, wires=5)
        phase_estimation()
        for k in range(1, 5):
            bits = [int(bit) for bit in format(k, "03b")]
            qml.ctrl(qml.RY, control=clock, control_values=bits)(2 * np.arcsin(1 / k), wires=0)
        qml.adjoint(phase_estimation)()
        return qml.state()

    return circuit()
