import pennylane as qml


def controlled_grover(control, system):
    # I - 2|00><00|
    for wire in system:
        qml.X(wire)
    qml.CCZ(wires=[control, *system])
    for wire in system:
        qml.X(wire)
    # I - 2|s><s|, and the sign of 2|s><s| - I as a Z on the control
    for wire in system:
        qml.Hadamard(wires=wire)
        qml.X(wire)
    qml.CCZ(wires=[control, *system])
    for wire in system:
        qml.X(wire)
        qml.Hadamard(wires=wire)
    qml.Z(control)


def qpe_grover00_gate(alpha, beta):
    dev = qml.device("default.qubit", wires=5)

    @qml.qnode(dev)
    def circuit():
        qml.RX(alpha, wires=3)
        qml.RY(beta, wires=4)
        for wire in range(3):
            qml.Hadamard(wires=wire)
        for control, power in [(0, 4), (1, 2), (2, 1)]:
            for _ in range(power):
                controlled_grover(control, [3, 4])
        qml.adjoint(qml.QFT)(wires=[0, 1, 2])
        return qml.probs(wires=[0, 1, 2])

    return circuit()
