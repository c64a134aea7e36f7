import cirq


def MAJ_3():
    c, b, a = cirq.LineQubit.range(3)
    return cirq.Circuit(cirq.CNOT(a, b), cirq.CNOT(a, c), cirq.CCNOT(c, b, a))
