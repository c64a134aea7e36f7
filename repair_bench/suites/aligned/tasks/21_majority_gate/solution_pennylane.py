import pennylane as qml


def MAJ_3():
    qml.CNOT(wires=[2, 1])
    qml.CNOT(wires=[2, 0])
    qml.Toffoli(wires=[0, 1, 2])
