import pennylane as qml


def parity_check_3bit(angles):
    dev = qml.device("default.qubit", wires=4)

    @qml.qnode(dev)
    def circuit():
        for wire, angle in enumerate(angles):
            qml.RY(angle, wires=wire)
            qml.CNOT(wires=[wire, 3])
        return qml.state()

    return circuit()
