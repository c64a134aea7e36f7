from math import pi

import cirq


def U_gate_decompose(theta, phi, lam):
    qubit = cirq.LineQubit(0)
    sx = cirq.X**0.5
    return cirq.Circuit(
        cirq.rz(lam)(qubit),
        sx(qubit),
        cirq.rz(theta + pi)(qubit),
        sx(qubit),
        cirq.rz(phi + pi)(qubit),
    )
