import pennylane as qml


def GHZ3_SWAPTEST(angles):
    dev = qml.device("default.qubit", wires=9)

    @qml.qnode(dev)
    def circuit():
        qml.Hadamard(wires=3)
        qml.CNOT(wires=[3, 4])
        qml.CNOT(wires=[4, 5])
        for i, angle in enumerate(angles):
            qml.RY(angle, wires=6 + i)
        for i in range(3):
            qml.Hadamard(wires=i)
            qml.CSWAP(wires=[i, 3 + i, 6 + i])
            qml.Hadamard(wires=i)
        return qml.probs(wires=[0, 1, 2])

    return circuit()
