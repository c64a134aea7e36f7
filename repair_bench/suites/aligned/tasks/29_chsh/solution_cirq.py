import cirq
import numpy as np


def chsh_circuit(alice, bob):
    q0, q1 = cirq.LineQubit.range(2)
    circuit = cirq.Circuit(cirq.H(q0), cirq.CNOT(q0, q1))
    if alice == 1:
        circuit.append(cirq.ry(-np.pi / 2)(q0))
    circuit.append(cirq.ry(np.pi / 4 if bob == 1 else -np.pi / 4)(q1))
    circuit.append(cirq.measure(q0, q1, key="result"))
    return circuit
