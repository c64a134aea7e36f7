import pennylane as qml


def QSub(angles):
    dev = qml.device("default.qubit", wires=7)
    a2, a1, a0, b2, b1, b0, carry = range(7)

    @qml.qnode(dev)
    def circuit():
        for wire, angle in enumerate(angles):
            qml.RY(angle, wires=wire)

        # a - b = NOT(NOT a + b)
        for wire in [a0, a1, a2]:
            qml.X(wire)
        qml.CNOT(wires=[a2, b2])
        qml.Toffoli(wires=[a0, b0, carry])
        # the carry into the top bit is a1 b1 XOR (a1 XOR b1) carry
        qml.Toffoli(wires=[a1, b1, b2])
        qml.CNOT(wires=[a1, b1])
        qml.Toffoli(wires=[b1, carry, b2])
        qml.CNOT(wires=[carry, b1])
        qml.Toffoli(wires=[a0, b0, carry])
        qml.CNOT(wires=[a0, b0])
        for wire in [a0, a1, a2, b0, b1, b2]:
            qml.X(wire)
        return qml.state()

    return circuit()
