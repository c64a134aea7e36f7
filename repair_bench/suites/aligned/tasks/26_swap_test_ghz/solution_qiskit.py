from qiskit import QuantumCircuit


def GHZ3_SWAPTEST(angles):
    qc = QuantumCircuit(9, 3)
    qc.h(3)
    qc.cx(3, 4)
    qc.cx(4, 5)
    for i, angle in enumerate(angles):
        qc.ry(angle, 6 + i)
    for i in range(3):
        qc.h(i)
        qc.cswap(i, 3 + i, 6 + i)
        qc.h(i)
    qc.measure([0, 1, 2], [0, 1, 2])
    return qc
