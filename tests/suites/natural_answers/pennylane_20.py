import pennylane as qml


def Bernstein_Vazirani_011():
    a = [0, 1, 1]
    dev = qml.device("default.qubit", wires=4)

    @qml.set_shots(1000)
    @qml.qnode(dev)
    def circuit():
        qml.PauliX(wires=3)
        for w in range(4):
            qml.Hadamard(wires=w)
        for w, bit in enumerate(a):
            if bit:
                qml.CNOT(wires=[w, 3])
        for w in range(3):
            qml.Hadamard(wires=w)
        return qml.sample(wires=range(3))

    return circuit()
