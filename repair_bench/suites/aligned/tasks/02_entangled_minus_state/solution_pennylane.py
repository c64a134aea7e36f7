import pennylane as qml


def generate_quantum_state_qubit3():
    dev = qml.device("default.qubit", wires=3)

    @qml.qnode(dev)
    def circuit():
        qml.X(0)
        qml.Hadamard(0)
        qml.X(1)
        qml.CNOT(wires=[0, 1])
        qml.CNOT(wires=[1, 2])
        return qml.state()

    return circuit()
