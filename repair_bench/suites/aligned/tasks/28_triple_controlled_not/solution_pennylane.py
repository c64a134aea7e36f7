import pennylane as qml


def decompose_CCCNOT():
    # qubit 4 collects q2 (q3 XOR q0 q1) XOR q2 q3 = q0 q1 q2
    qml.Toffoli(wires=[0, 1, 3])
    qml.Toffoli(wires=[2, 3, 4])
    qml.Toffoli(wires=[0, 1, 3])
    qml.Toffoli(wires=[2, 3, 4])
