import pennylane as qml


def grover_3SAT():
    dev = qml.device("default.qubit", wires=3)
    wires = [0, 1, 2]

    def oracle():
        for solution in ([0, 1, 0], [0, 1, 1]):
            qml.FlipSign(solution, wires=wires)

    @qml.set_shots(1000)
    @qml.qnode(dev)
    def circuit():
        for w in wires:
            qml.Hadamard(wires=w)
        oracle()
        qml.GroverOperator(wires=wires)
        return qml.sample(wires=wires)

    return circuit()
