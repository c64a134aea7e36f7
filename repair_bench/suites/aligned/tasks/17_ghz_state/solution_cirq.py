import cirq


def GHZ():
    a, b, c = cirq.LineQubit.range(3)
    return cirq.Circuit(cirq.H(a), cirq.CNOT(a, b), cirq.CNOT(b, c))
