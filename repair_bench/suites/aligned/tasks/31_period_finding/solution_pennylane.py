import pennylane as qml


def period_finding_7_15(start):
    dev = qml.device("default.qubit", wires=7)
    phase, work = [0, 1, 2], [3, 4, 5, 6]

    @qml.qnode(dev)
    def circuit():
        for i, bit in enumerate(f"{start:04b}"):
            if bit == "1":
                qml.X(work[i])
        for wire in phase:
            qml.Hadamard(wires=wire)

        # 7^4 = 1 mod 15: nothing to do for wire 0
        # 7^2 = 4 mod 15: the bits move by two places
        qml.CSWAP(wires=[1, 3, 5])
        qml.CSWAP(wires=[1, 4, 6])
        # 7 = -8 mod 15: the bits move by three places and are complemented
        qml.CSWAP(wires=[2, 5, 6])
        qml.CSWAP(wires=[2, 4, 5])
        qml.CSWAP(wires=[2, 3, 4])
        for wire in work:
            qml.CNOT(wires=[2, wire])

        qml.adjoint(qml.QFT)(wires=phase)
        return qml.state()

    return circuit()
