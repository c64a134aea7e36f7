from qiskit import QuantumCircuit


def parity_check_3bit(angles):
    qc = QuantumCircuit(4)
    for qubit, angle in enumerate(angles):
        qc.ry(angle, qubit)
        qc.cx(qubit, 3)
    return qc
