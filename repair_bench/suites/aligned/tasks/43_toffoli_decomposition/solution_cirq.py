from math import pi

import cirq


def Toffoli_gate_decompose():
    a, b, target = cirq.LineQubit.range(3)
    sx = cirq.X**0.5
    # a Hadamard is RZ(pi/2) SX RZ(pi/2), a T gate RZ(pi/4), both up to a phase
    return cirq.Circuit(
        cirq.rz(pi / 2)(target),
        sx(target),
        cirq.rz(pi / 2)(target),
        cirq.CNOT(b, target),
        cirq.rz(-pi / 4)(target),
        cirq.CNOT(a, target),
        cirq.rz(pi / 4)(target),
        cirq.CNOT(b, target),
        cirq.rz(-pi / 4)(target),
        cirq.CNOT(a, target),
        cirq.rz(3 * pi / 4)(target),
        sx(target),
        cirq.rz(pi / 2)(target),
        cirq.rz(pi / 4)(b),
        cirq.CNOT(a, b),
        cirq.rz(pi / 4)(a),
        cirq.rz(-pi / 4)(b),
        cirq.CNOT(a, b),
    )
