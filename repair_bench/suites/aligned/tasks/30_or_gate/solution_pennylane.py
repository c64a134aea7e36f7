import pennylane as qml


def or_circuit():
    # a OR b = a XOR b XOR ab
    qml.CNOT(wires=[0, 2])
    qml.CNOT(wires=[1, 2])
    qml.Toffoli(wires=[0, 1, 2])
