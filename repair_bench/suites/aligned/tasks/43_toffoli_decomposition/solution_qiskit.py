from math import pi

from qiskit import QuantumCircuit


def Toffoli_gate_decompose():
    qc = QuantumCircuit(3)
    # a Hadamard is RZ(pi/2) SX RZ(pi/2), a T gate RZ(pi/4), both up to a phase
    qc.rz(pi / 2, 2)
    qc.sx(2)
    qc.rz(pi / 2, 2)
    qc.cx(1, 2)
    qc.rz(-pi / 4, 2)
    qc.cx(0, 2)
    qc.rz(pi / 4, 2)
    qc.cx(1, 2)
    qc.rz(-pi / 4, 2)
    qc.cx(0, 2)
    qc.rz(3 * pi / 4, 2)
    qc.sx(2)
    qc.rz(pi / 2, 2)
    qc.rz(pi / 4, 1)
    qc.cx(0, 1)
    qc.rz(pi / 4, 0)
    qc.rz(-pi / 4, 1)
    qc.cx(0, 1)
    return qc
