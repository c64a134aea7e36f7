import cirq


def generate_quantum_state_qubit3():
    a, b, c = cirq.LineQubit.range(3)
    return cirq.Circuit(cirq.X(a), cirq.H(a), cirq.X(b), cirq.CNOT(a, b), cirq.CNOT(b, c))
