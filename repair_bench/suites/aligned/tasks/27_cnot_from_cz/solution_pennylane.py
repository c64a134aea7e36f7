import pennylane as qml


def decompose_CNOT():
    qml.Hadamard(wires=1)
    qml.CZ(wires=[0, 1])
    qml.Hadamard(wires=1)
