import cirq
import numpy as np


def qaoa_maxcut_ansatz(G=None, beta=None, gamma=None):
    qubits = cirq.LineQubit.range(G.number_of_nodes())
    circuit = cirq.Circuit(cirq.H.on_each(*qubits))
    for b, g in zip(beta, gamma, strict=True):
        for u, v in G.edges:
            circuit.append(cirq.ZZPowGate(exponent=2 * g / np.pi)(qubits[u], qubits[v]))
        circuit.append(cirq.rx(2 * b).on_each(*qubits))
    circuit.append(cirq.measure(*qubits, key="result"))
    return circuit
