import cirq


def or_circuit():
    a, b, c = cirq.LineQubit.range(3)
    # a OR b = a XOR b XOR ab
    return cirq.Circuit(cirq.CNOT(a, c), cirq.CNOT(b, c), cirq.TOFFOLI(a, b, c))
