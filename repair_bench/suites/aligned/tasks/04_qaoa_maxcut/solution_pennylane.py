import pennylane as qml


def qaoa_maxcut_ansatz(edges, betas, gammas):
    dev = qml.device("default.qubit", wires=5)

    @qml.qnode(dev)
    def circuit():
        for wire in range(5):
            qml.Hadamard(wires=wire)
        for beta, gamma in zip(betas, gammas, strict=True):
            for edge in edges:
                qml.IsingZZ(2 * gamma, wires=edge)
            for wire in range(5):
                qml.RX(2 * beta, wires=wire)
        return qml.state()

    return circuit()
