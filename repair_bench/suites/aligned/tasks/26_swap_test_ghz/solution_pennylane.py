import pennylane as qml


def GHZ3_SWAPTEST():
    dev = qml.device("default.qubit", wires=9)

    @qml.qnode(dev)
    def circuit():
        qml.Hadamard(wires=3)
        qml.CNOT(wires=[3, 4])
        qml.CNOT(wires=[4, 5])
        for wire in [6, 7, 8]:
            qml.Hadamard(wires=wire)
        for ancilla in range(3):
            qml.Hadamard(wires=ancilla)
            qml.CSWAP(wires=[ancilla, ancilla + 3, ancilla + 6])
            qml.Hadamard(wires=ancilla)
        return qml.probs(wires=[0, 1, 2])

    return circuit()
