import pennylane as qml


def quantum_state_preparation(parameters):
    dev = qml.device("default.qubit", wires=1)

    @qml.qnode(dev)
    def circuit():
        qml.RX(parameters[0], wires=0)
        qml.RY(parameters[1], wires=0)
        return qml.state()

    return circuit()
