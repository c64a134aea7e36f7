import cirq


def u(theta, phi, lam, qubit):
    # up to a global phase
    yield cirq.rz(lam)(qubit)
    yield cirq.ry(theta)(qubit)
    yield cirq.rz(phi)(qubit)


def VQE_Z2(param):
    p = param
    a, b = cirq.LineQubit.range(2)
    return cirq.Circuit(
        cirq.H.on_each(a, b),
        u(p[0], p[1], p[2], a),
        u(p[3], p[4], p[5], b),
        cirq.CNOT(a, b),
        cirq.ry(p[6])(a),
        cirq.ry(p[7])(b),
    )
