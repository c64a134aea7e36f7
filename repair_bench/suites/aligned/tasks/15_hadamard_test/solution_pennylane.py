import pennylane as qml


def Hadmard_Test_h(theta):
    dev = qml.device("default.qubit", wires=2)

    @qml.qnode(dev)
    def circuit():
        qml.RY(theta, wires=1)
        qml.Hadamard(wires=0)
        qml.CH(wires=[0, 1])
        qml.Hadamard(wires=0)
        return qml.probs(wires=0)

    return circuit()
