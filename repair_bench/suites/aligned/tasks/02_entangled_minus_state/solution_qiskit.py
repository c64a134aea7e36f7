from qiskit import QuantumCircuit


def generate_quantum_state_qubit3():
    qc = QuantumCircuit(3)
    qc.x(0)
    qc.h(0)
    qc.x(1)
    qc.cx(0, 1)
    qc.cx(1, 2)
    return qc
