import pennylane as qml


def swaptest_individual():
    dev = qml.device("default.qubit", wires=9)

    @qml.set_shots(1000)
    @qml.qnode(dev)
    def circuit():
        qml.BasisState([0, 1, 1], wires=[3, 4, 5])
        for i in range(3):
            qml.Hadamard(wires=i)
            qml.CSWAP(wires=[i, i + 3, i + 6])
            qml.Hadamard(wires=i)
        return qml.sample(wires=[0, 1, 2])

    return circuit()
