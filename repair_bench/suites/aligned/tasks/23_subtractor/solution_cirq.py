import cirq


def QSub(angles):
    q = cirq.LineQubit.range(7)
    a2, a1, a0, b2, b1, b0, carry = q
    return cirq.Circuit(
        (cirq.ry(angle)(q[i]) for i, angle in enumerate(angles)),
        # a - b = NOT(NOT a + b)
        cirq.X.on_each(a0, a1, a2),
        cirq.CNOT(a2, b2),
        cirq.TOFFOLI(a0, b0, carry),
        # the carry into the top bit is a1 b1 XOR (a1 XOR b1) carry
        cirq.TOFFOLI(a1, b1, b2),
        cirq.CNOT(a1, b1),
        cirq.TOFFOLI(b1, carry, b2),
        cirq.CNOT(carry, b1),
        cirq.TOFFOLI(a0, b0, carry),
        cirq.CNOT(a0, b0),
        cirq.X.on_each(a0, a1, a2, b0, b1, b2),
    )
