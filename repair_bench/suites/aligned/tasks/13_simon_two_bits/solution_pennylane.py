import pennylane as qml


def Simon_11(s):
    j = s.index("1")
    dev = qml.device("default.qubit", wires=4)

    @qml.qnode(dev)
    def circuit():
        qml.Hadamard(wires=0)
        qml.Hadamard(wires=1)
        for i in range(2):
            qml.CNOT(wires=[i, 2 + i])
        for i in range(2):
            if s[i] == "1":
                qml.CNOT(wires=[j, 2 + i])
        qml.Hadamard(wires=0)
        qml.Hadamard(wires=1)
        return qml.state()

    return circuit()
