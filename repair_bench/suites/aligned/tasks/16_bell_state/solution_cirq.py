import cirq


def Bell_State():
    a, b = cirq.LineQubit.range(2)
    return cirq.Circuit(cirq.H(a), cirq.CNOT(a, b))
