from math import pi

from qiskit import QuantumCircuit


def chsh_circuit(alice, bob):
    qc = QuantumCircuit(2, 2)
    qc.h(0)
    qc.cx(0, 1)
    if alice == 1:
        qc.ry(-pi / 2, 0)
    qc.ry(pi / 4 if bob == 1 else -pi / 4, 1)
    qc.measure([0, 1], [0, 1])
    return qc
