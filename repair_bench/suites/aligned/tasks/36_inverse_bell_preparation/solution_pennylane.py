import pennylane as qml


def reverse_state_preparation_bell():
    qml.CNOT(wires=[0, 1])
    qml.Hadamard(wires=0)
