import pennylane as qml


def swaptest_individual(first, second):
    dev = qml.device("default.qubit", wires=9)

    @qml.qnode(dev)
    def circuit():
        for i in range(3):
            qml.RY(first[i], wires=i)
            qml.RY(second[i], wires=3 + i)
            qml.Hadamard(wires=6 + i)
            qml.CSWAP(wires=[6 + i, i, 3 + i])
            qml.Hadamard(wires=6 + i)
        return qml.probs(wires=[6, 7, 8])

    return circuit()
