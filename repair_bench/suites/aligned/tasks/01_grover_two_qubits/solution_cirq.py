import cirq


def grover_search_oracle_00(marked):
    qubits = cirq.LineQubit.range(2)
    zeros = [qubit for qubit, bit in zip(qubits, marked, strict=True) if bit == "0"]
    oracle = [cirq.X.on_each(*zeros), cirq.CZ(*qubits), cirq.X.on_each(*zeros)]
    diffusion = [
        cirq.H.on_each(*qubits),
        cirq.X.on_each(*qubits),
        cirq.CZ(*qubits),
        cirq.X.on_each(*qubits),
        cirq.H.on_each(*qubits),
    ]
    return cirq.Circuit(cirq.H.on_each(*qubits), oracle, diffusion)
