from qiskit import QuantumCircuit


def generate_quantum_state_qubit5():
    qc = QuantumCircuit(5)
    qc.x(2)
    qc.h(3)
    qc.x(4)
    qc.cx(3, 4)
    return qc
