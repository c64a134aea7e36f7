from qiskit import QuantumCircuit


def MAJ_3():
    qc = QuantumCircuit(3)
    qc.cx(2, 1)
    qc.cx(2, 0)
    qc.ccx(0, 1, 2)
    return qc
