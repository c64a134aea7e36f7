import pennylane as qml


def swaptest_zaxis(unknown_state):
    dev = qml.device("default.qubit", wires=3)

    @qml.qnode(dev)
    def circuit():
        unknown_state(1)
        qml.Hadamard(wires=0)
        qml.CSWAP(wires=[0, 1, 2])
        qml.Hadamard(wires=0)
        return qml.state()

    return circuit()
