from math import pi

from qiskit import QuantumCircuit
from qiskit.circuit.library import QFTGate


def qpe_x_gate(power, eigenstate):
    qc = QuantumCircuit(4, 3)
    if eigenstate == "-":
        qc.x(3)
    qc.h(3)
    qc.h([0, 1, 2])
    for qubit in range(3):
        angle = pi * power * 2 ** (2 - qubit)
        # X^p = exp(i pi p / 2) RX(pi p): under control the phase belongs to the control
        qc.crx(angle, qubit, 3)
        qc.p(angle / 2, qubit)
    qc.append(QFTGate(3).inverse(), [2, 1, 0])
    qc.measure([0, 1, 2], [0, 1, 2])
    return qc
