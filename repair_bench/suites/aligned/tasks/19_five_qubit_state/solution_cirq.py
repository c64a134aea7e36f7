import cirq


def generate_quantum_state_qubit5():
    _, _, c, d, e = cirq.LineQubit.range(5)
    return cirq.Circuit(cirq.X(c), cirq.H(d), cirq.X(e), cirq.CNOT(d, e))
