from qiskit import QuantumCircuit


def decompose_CCCNOT():
    qc = QuantumCircuit(5)
    # qubit 4 collects q2 (q3 XOR q0 q1) XOR q2 q3 = q0 q1 q2
    qc.ccx(0, 1, 3)
    qc.ccx(2, 3, 4)
    qc.ccx(0, 1, 3)
    qc.ccx(2, 3, 4)
    return qc
