import pennylane as qml


def qaoa_maxcut_ansatz(G=None, beta=None, gamma=None):
    nodes = list(G.nodes)
    dev = qml.device("default.qubit", wires=nodes)

    @qml.set_shots(1000)
    @qml.qnode(dev)
    def circuit():
        for node in nodes:
            qml.Hadamard(wires=node)
        for layer in range(len(beta)):
            for u, v in G.edges:
                qml.CNOT(wires=[u, v])
                qml.RZ(2 * gamma[layer], wires=v)
                qml.CNOT(wires=[u, v])
            for node in nodes:
                qml.RX(2 * beta[layer], wires=node)
        return qml.sample(wires=nodes)

    return circuit()
