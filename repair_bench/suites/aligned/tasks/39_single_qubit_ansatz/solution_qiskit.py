from qiskit import QuantumCircuit


def quantum_state_preparation(parameters):
    qc = QuantumCircuit(1)
    qc.rx(parameters[0], 0)
    qc.ry(parameters[1], 0)
    return qc
