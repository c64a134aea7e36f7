import cirq


def VQE_2(parameters):
    p = parameters
    a, b = cirq.LineQubit.range(2)
    return cirq.Circuit(
        cirq.X(a),
        cirq.rz(p[0])(a),
        cirq.rz(p[1])(a),
        cirq.ry(p[2])(a),
        cirq.rz(p[3])(b),
        cirq.CNOT(a, b),
        cirq.rz(p[4])(a),
        cirq.rz(p[5])(b),
        cirq.ry(p[6])(a),
        cirq.rz(p[7])(b),
    )
