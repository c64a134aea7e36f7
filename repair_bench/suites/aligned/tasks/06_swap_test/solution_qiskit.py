from qiskit import QuantumCircuit


def swaptest_zaxis(unknown_state):
    qc = QuantumCircuit(3)
    qc.compose(unknown_state, qubits=[1], inplace=True)
    qc.h(0)
    qc.cswap(0, 1, 2)
    qc.h(0)
    return qc
