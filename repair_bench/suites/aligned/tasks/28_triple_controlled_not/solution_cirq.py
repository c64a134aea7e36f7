import cirq


def decompose_CCCNOT():
    a, b, c, ancilla, target = cirq.LineQubit.range(5)
    # the target collects c (ancilla XOR a b) XOR c ancilla = a b c
    return cirq.Circuit(
        cirq.TOFFOLI(a, b, ancilla),
        cirq.TOFFOLI(c, ancilla, target),
        cirq.TOFFOLI(a, b, ancilla),
        cirq.TOFFOLI(c, ancilla, target),
    )
