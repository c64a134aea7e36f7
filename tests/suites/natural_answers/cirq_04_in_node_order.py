import cirq


def qaoa_maxcut_ansatz(G=None, beta=None, gamma=None):
    qubits = {node: cirq.LineQubit(i) for i, node in enumerate(G.nodes)}
    circuit = cirq.Circuit(cirq.H(q) for q in qubits.values())
    for b, g in zip(beta, gamma, strict=True):
        for u, v in G.edges:
            circuit.append(
                [
                    cirq.CNOT(qubits[u], qubits[v]),
                    cirq.rz(2 * g)(qubits[v]),
                    cirq.CNOT(qubits[u], qubits[v]),
                ]
            )
        circuit.append(cirq.rx(2 * b)(q) for q in qubits.values())
    circuit.append(cirq.measure(*qubits.values(), key="result"))
    return circuit
