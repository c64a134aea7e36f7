import cirq
import numpy as np
from scipy.linalg import expm

A = np.array([[3, 0, 0, -1], [0, 7, -1, 0], [0, -1, 7, 0], [-1, 0, 0, 3]]) / 2


def phase_estimation(clock, vector):
    circuit = cirq.Circuit(cirq.H.on_each(*clock))
    for i, control in enumerate(clock):
        evolution = cirq.MatrixGate(expm(1j * A * np.pi / 4 * 2 ** (2 - i)))
        circuit += evolution(*vector).controlled_by(control)
    circuit += cirq.qft(*clock, inverse=True)
    return circuit


def HHL_4x4(alpha, beta):
    qubits = cirq.LineQubit.range(6)
    ancilla, clock, vector = qubits[0], qubits[1:4], qubits[4:]
    circuit = cirq.Circuit(cirq.ry(alpha)(vector[0]), cirq.ry(beta)(vector[1]))
    estimation = phase_estimation(clock, vector)
    circuit += estimation
    for k in range(1, 5):
        bits = [int(bit) for bit in format(k, "03b")]
        circuit += cirq.ry(2 * np.arcsin(1 / k))(ancilla).controlled_by(*clock, control_values=bits)
    circuit += cirq.inverse(estimation)
    return circuit
