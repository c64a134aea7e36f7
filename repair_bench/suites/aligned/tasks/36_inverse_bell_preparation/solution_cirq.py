import cirq


def reverse_state_preparation_bell():
    a, b = cirq.LineQubit.range(2)
    return cirq.Circuit(cirq.CNOT(a, b), cirq.H(a))
