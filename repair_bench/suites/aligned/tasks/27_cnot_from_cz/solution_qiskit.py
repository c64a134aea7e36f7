from qiskit import QuantumCircuit


def decompose_CNOT():
    qc = QuantumCircuit(2)
    qc.h(1)
    qc.cz(0, 1)
    qc.h(1)
    return qc
