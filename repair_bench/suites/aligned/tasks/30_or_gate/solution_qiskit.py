from qiskit import QuantumCircuit


def or_circuit():
    qc = QuantumCircuit(3)
    # a OR b = a XOR b XOR ab
    qc.cx(0, 2)
    qc.cx(1, 2)
    qc.ccx(0, 1, 2)
    return qc
