import cirq


def controlled_multiply(a, control, work):
    # modulo 15, minus is the complement of the four bits and doubling moves them by one place
    if a in (7, 11, 13, 14):
        yield (cirq.CNOT(control, qubit) for qubit in work)
        a = 15 - a
    for _ in range(a.bit_length() - 1):
        yield cirq.CSWAP(control, work[0], work[1])
        yield cirq.CSWAP(control, work[1], work[2])
        yield cirq.CSWAP(control, work[2], work[3])


def shor_7mod15(a):
    q = cirq.LineQubit.range(12)
    phase, work = q[:8], q[8:]
    circuit = cirq.Circuit(cirq.X(q[11]), cirq.H.on_each(phase))
    for i, qubit in enumerate(phase):
        circuit.append(controlled_multiply(pow(a, 2 ** (7 - i), 15), qubit, work))
    circuit.append(cirq.qft(*phase, inverse=True))
    return circuit
