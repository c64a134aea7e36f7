from math import pi

from qiskit import QuantumCircuit


def Quantum_Teleportation(theta):
    qc = QuantumCircuit(3, 3)
    qc.rx(theta, 0)
    qc.h(1)
    qc.cx(1, 2)
    qc.cx(0, 1)
    qc.h(0)
    qc.measure([0, 1], [0, 1])
    with qc.if_test((1, 1)):
        qc.x(2)
    with qc.if_test((0, 1)):
        qc.z(2)
    qc.rx(pi / 4, 2)
    qc.measure(2, 2)
    return qc
