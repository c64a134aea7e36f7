import cirq


def decompose_CNOT():
    control, target = cirq.LineQubit.range(2)
    return cirq.Circuit(cirq.H(target), cirq.CZ(control, target), cirq.H(target))
