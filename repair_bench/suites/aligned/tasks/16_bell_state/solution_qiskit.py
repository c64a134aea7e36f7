from qiskit import QuantumCircuit


def Bell_State():
    qc = QuantumCircuit(2)
    qc.h(0)
    qc.cx(0, 1)
    return qc
