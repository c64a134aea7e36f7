from math import acos, sqrt

from qiskit import QuantumCircuit


def W_State_4():
    qc = QuantumCircuit(4)
    qc.x(0)
    # the excitation stays on qubit i with probability 1/(4 - i), else it moves on
    for i in range(3):
        qc.cry(2 * acos(1 / sqrt(4 - i)), i, i + 1)
        qc.cx(i + 1, i)
    return qc
