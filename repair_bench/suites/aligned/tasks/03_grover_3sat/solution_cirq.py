import cirq


def grover_3SAT(clauses):
    qubits = cirq.LineQubit.range(3)
    circuit = cirq.Circuit(cirq.H.on_each(*qubits))
    # oracle: flip the one assignment that each clause rules out, where all its literals are false
    for clause in clauses:
        positive = [qubits[i - 1] for i in clause if i > 0]
        circuit += [cirq.X.on_each(*positive), cirq.CCZ(*qubits), cirq.X.on_each(*positive)]
    # diffusion
    circuit += [cirq.H.on_each(*qubits), cirq.X.on_each(*qubits)]
    circuit += cirq.CCZ(*qubits)
    circuit += [cirq.X.on_each(*qubits), cirq.H.on_each(*qubits)]
    return circuit
