from math import pi

from qiskit import QuantumCircuit


def U_gate_decompose(theta, phi, lam):
    qc = QuantumCircuit(1)
    qc.rz(lam, 0)
    qc.sx(0)
    qc.rz(theta + pi, 0)
    qc.sx(0)
    qc.rz(phi + pi, 0)
    return qc
