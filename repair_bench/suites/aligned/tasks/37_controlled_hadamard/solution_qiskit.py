from math import pi

from qiskit import QuantumCircuit


def controlled_hadamard():
    qc = QuantumCircuit(2)
    qc.ry(-pi / 4, 1)
    qc.cz(0, 1)
    qc.ry(pi / 4, 1)
    return qc
