from math import pi

import pennylane as qml


def U_gate_decompose(theta, phi, lam):
    qml.RZ(lam, wires=0)
    qml.SX(wires=0)
    qml.RZ(theta + pi, wires=0)
    qml.SX(wires=0)
    qml.RZ(phi + pi, wires=0)
