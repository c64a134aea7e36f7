import pennylane as qml


def controlled_multiply(a, control, work):
    # modulo 15, minus is the complement of the four bits and doubling moves them by one place
    if a in (7, 11, 13, 14):
        for wire in work:
            qml.CNOT(wires=[control, wire])
        a = 15 - a
    for _ in range(a.bit_length() - 1):
        qml.CSWAP(wires=[control, work[0], work[1]])
        qml.CSWAP(wires=[control, work[1], work[2]])
        qml.CSWAP(wires=[control, work[2], work[3]])


def shor_7mod15(a):
    dev = qml.device("default.qubit", wires=12)
    phase, work = range(8), [8, 9, 10, 11]

    @qml.qnode(dev)
    def circuit():
        qml.X(11)
        for wire in phase:
            qml.Hadamard(wires=wire)
        for wire in phase:
            controlled_multiply(pow(a, 2 ** (7 - wire), 15), wire, work)
        qml.adjoint(qml.QFT)(wires=phase)
        return qml.state()

    return circuit()
