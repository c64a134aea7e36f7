import pennylane as qml


def Simon_110(s):
    # f(x) = x, or x xor s where the first bit that s contains is 1
    j = s.index("1")
    dev = qml.device("default.qubit", wires=6)

    @qml.qnode(dev)
    def circuit():
        for i in range(3):
            qml.Hadamard(wires=i)
        for i in range(3):
            qml.CNOT(wires=[i, 3 + i])
        for i in range(3):
            if s[i] == "1":
                qml.CNOT(wires=[j, 3 + i])
        for i in range(3):
            qml.Hadamard(wires=i)
        return qml.probs(wires=[0, 1, 2])

    return circuit()
