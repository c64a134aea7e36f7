from math import pi

from qiskit import QuantumCircuit


def qft_6():
    qc = QuantumCircuit(6)
    for target in range(6):
        qc.h(target)
        for control in range(target + 1, 6):
            qc.cp(pi / 2 ** (control - target), control, target)
    for qubit in range(3):
        qc.swap(qubit, 5 - qubit)
    return qc
