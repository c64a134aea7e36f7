import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit.library import QFTGate, RYGate, UnitaryGate
from scipy.linalg import expm

A = np.array([[3, 0, 0, -1], [0, 7, -1, 0], [0, -1, 7, 0], [-1, 0, 0, 3]]) / 2


def phase_estimation():
    """Return the phase estimation circuit.

    Qubits 0 to 2 are the clock, and qubits 3 and 4 hold the vector. In both registers, the most significant qubit is
    first.
    """
    qc = QuantumCircuit(5)
    qc.h([0, 1, 2])
    for qubit in range(3):
        evolution = UnitaryGate(expm(1j * A * np.pi / 4 * 2 ** (2 - qubit)))
        qc.append(evolution.control(), [qubit, 4, 3])
    qc.append(QFTGate(3).inverse(), [2, 1, 0])
    return qc


def HHL_4x4(alpha, beta):
    qc = QuantumCircuit(6)
    qc.ry(alpha, 4)
    qc.ry(beta, 5)
    estimation = phase_estimation()
    qc.compose(estimation, [1, 2, 3, 4, 5], inplace=True)
    for k in range(1, 5):
        qc.append(RYGate(2 * np.arcsin(1 / k)).control(3, ctrl_state=k), [3, 2, 1, 0])
    qc.compose(estimation.inverse(), [1, 2, 3, 4, 5], inplace=True)
    return qc
