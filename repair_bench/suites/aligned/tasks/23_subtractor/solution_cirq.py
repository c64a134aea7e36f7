import cirq


def QSub(angles):
    q = cirq.LineQubit.range(8)
    # least significant bit first
    a, b, carry = [q[2], q[1], q[0]], [q[5], q[4], q[3]], [q[6], q[7]]
    return cirq.Circuit(
        (cirq.ry(angle)(qubit) for qubit, angle in zip(q, angles)),
        # a - b = NOT(NOT a + b), and the sum replaces b
        cirq.X.on_each(a),
        cirq.TOFFOLI(a[0], b[0], carry[0]),
        cirq.CNOT(a[0], b[0]),
        cirq.TOFFOLI(a[1], b[1], carry[1]),
        cirq.CNOT(a[1], b[1]),
        cirq.TOFFOLI(b[1], carry[0], carry[1]),
        cirq.CNOT(carry[0], b[1]),
        cirq.CNOT(a[2], b[2]),
        cirq.CNOT(carry[1], b[2]),
        cirq.X.on_each(b),
        cirq.measure(q[3], q[4], q[5], key="result"),
    )
