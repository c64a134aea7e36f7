import pennylane as qml


def QSub(angles):
    dev = qml.device("default.qubit", wires=8)
    # least significant bit first
    a, b, carry = [2, 1, 0], [5, 4, 3], [6, 7]

    @qml.qnode(dev)
    def circuit():
        for wire, angle in enumerate(angles):
            qml.RY(angle, wires=wire)

        # a - b = NOT(NOT a + b), and the sum replaces b
        for wire in a:
            qml.X(wire)
        qml.Toffoli(wires=[a[0], b[0], carry[0]])
        qml.CNOT(wires=[a[0], b[0]])
        qml.Toffoli(wires=[a[1], b[1], carry[1]])
        qml.CNOT(wires=[a[1], b[1]])
        qml.Toffoli(wires=[b[1], carry[0], carry[1]])
        qml.CNOT(wires=[carry[0], b[1]])
        qml.CNOT(wires=[a[2], b[2]])
        qml.CNOT(wires=[carry[1], b[2]])
        for wire in b:
            qml.X(wire)
        return qml.probs(wires=[3, 4, 5])

    return circuit()
