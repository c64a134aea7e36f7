import cirq


def swaptest_individual(first, second):
    qubits = cirq.LineQubit.range(9)
    ancillas = qubits[6:]
    circuit = cirq.Circuit()
    for i, ancilla in enumerate(ancillas):
        a, b = qubits[i], qubits[3 + i]
        circuit += [cirq.ry(first[i])(a), cirq.ry(second[i])(b)]
        circuit += [cirq.H(ancilla), cirq.CSWAP(ancilla, a, b), cirq.H(ancilla)]
    circuit += cirq.measure(*ancillas, key="result")
    return circuit
