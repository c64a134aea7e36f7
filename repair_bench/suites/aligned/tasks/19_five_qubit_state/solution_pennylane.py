import pennylane as qml


def generate_quantum_state_qubit5():
    dev = qml.device("default.qubit", wires=5)

    @qml.qnode(dev)
    def circuit():
        qml.X(2)
        qml.Hadamard(wires=3)
        qml.X(4)
        qml.CNOT(wires=[3, 4])
        return qml.state()

    return circuit()
