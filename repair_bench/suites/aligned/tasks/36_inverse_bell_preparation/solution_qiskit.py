from qiskit import QuantumCircuit


def reverse_state_preparation_bell():
    qc = QuantumCircuit(2)
    qc.cx(0, 1)
    qc.h(0)
    return qc
