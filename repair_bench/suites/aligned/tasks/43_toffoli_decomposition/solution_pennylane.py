from math import pi

import pennylane as qml


def Toffoli_gate_decompose():
    # a Hadamard is RZ(pi/2) SX RZ(pi/2), a T gate RZ(pi/4), both up to a phase
    qml.RZ(pi / 2, wires=2)
    qml.SX(wires=2)
    qml.RZ(pi / 2, wires=2)
    qml.CNOT(wires=[1, 2])
    qml.RZ(-pi / 4, wires=2)
    qml.CNOT(wires=[0, 2])
    qml.RZ(pi / 4, wires=2)
    qml.CNOT(wires=[1, 2])
    qml.RZ(-pi / 4, wires=2)
    qml.CNOT(wires=[0, 2])
    qml.RZ(3 * pi / 4, wires=2)
    qml.SX(wires=2)
    qml.RZ(pi / 2, wires=2)
    qml.RZ(pi / 4, wires=1)
    qml.CNOT(wires=[0, 1])
    qml.RZ(pi / 4, wires=0)
    qml.RZ(-pi / 4, wires=1)
    qml.CNOT(wires=[0, 1])
