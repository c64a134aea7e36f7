import pennylane as qml


def VQE_Z2(param):
    p = param
    dev = qml.device("default.qubit", wires=2)

    @qml.qnode(dev)
    def circuit():
        qml.Hadamard(wires=0)
        qml.Hadamard(wires=1)
        qml.U3(p[0], p[1], p[2], wires=0)
        qml.U3(p[3], p[4], p[5], wires=1)
        qml.CNOT(wires=[0, 1])
        qml.RY(p[6], wires=0)
        qml.RY(p[7], wires=1)
        return qml.state()

    return circuit()
