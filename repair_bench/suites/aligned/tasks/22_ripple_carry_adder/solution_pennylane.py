import pennylane as qml


def Qadd(b, carry_in):
    # wire 0: carry; bit i of b in wire 2i + 1, of a in wire 2i + 2; wire 7: carry out
    dev = qml.device("default.qubit", wires=8)

    @qml.qnode(dev)
    def circuit():
        if carry_in:
            qml.X(0)
        for i in range(3):
            if b >> i & 1:
                qml.X(2 * i + 1)
            qml.Hadamard(wires=2 * i + 2)

        for i in range(3):
            carry, b_i, a_i = 2 * i, 2 * i + 1, 2 * i + 2
            qml.CNOT(wires=[a_i, b_i])
            qml.CNOT(wires=[a_i, carry])
            qml.Toffoli(wires=[carry, b_i, a_i])
        qml.CNOT(wires=[6, 7])
        for i in reversed(range(3)):
            carry, b_i, a_i = 2 * i, 2 * i + 1, 2 * i + 2
            qml.Toffoli(wires=[carry, b_i, a_i])
            qml.CNOT(wires=[a_i, carry])
            qml.CNOT(wires=[carry, b_i])

        return qml.probs(wires=[6, 4, 2, 7, 5, 3, 1])

    return circuit()
