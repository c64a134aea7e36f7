import cirq
import numpy as np


def qaoa_maxcut_ansatz(edges, betas, gammas):
    qubits = cirq.LineQubit.range(5)
    circuit = cirq.Circuit(cirq.H.on_each(*qubits))
    for beta, gamma in zip(betas, gammas, strict=True):
        for u, v in edges:
            circuit += cirq.ZZ(qubits[u], qubits[v]) ** (2 * gamma / np.pi)
        circuit += cirq.rx(2 * beta).on_each(*qubits)
    return circuit
