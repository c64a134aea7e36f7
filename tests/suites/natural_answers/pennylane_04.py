import pennylane as qml


def qaoa_maxcut_ansatz(G=None, beta=None, gamma=None):
    wires = range(len(G.nodes))
    dev = qml.device("default.qubit", wires=wires)

    @qml.set_shots(1000)
    @qml.qnode(dev)
    def circuit():
        for w in wires:
            qml.Hadamard(wires=w)
        for b, g in zip(beta, gamma, strict=True):
            for u, v in G.edges:
                qml.IsingZZ(2 * g, wires=[u, v])
            for w in wires:
                qml.RX(2 * b, wires=w)
        return qml.sample()

    return circuit()
