from qiskit import QuantumCircuit


def Hadmard_Test_h(theta):
    qc = QuantumCircuit(2, 1)
    qc.ry(theta, 1)
    qc.h(0)
    qc.ch(0, 1)
    qc.h(0)
    qc.measure(0, 0)
    return qc
