from qiskit import QuantumCircuit


def GHZ3_SWAPTEST():
    qc = QuantumCircuit(9, 3)
    qc.h(3)
    qc.cx(3, 4)
    qc.cx(4, 5)
    qc.h([6, 7, 8])
    for ancilla in range(3):
        qc.h(ancilla)
        qc.cswap(ancilla, ancilla + 3, ancilla + 6)
        qc.h(ancilla)
    qc.measure([0, 1, 2], [0, 1, 2])
    return qc
