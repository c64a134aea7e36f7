from qiskit import QuantumCircuit


def swaptest_individual(first, second):
    qc = QuantumCircuit(9, 3)
    for i in range(3):
        qc.ry(first[i], i)
        qc.ry(second[i], 3 + i)
        qc.h(6 + i)
        qc.cswap(6 + i, i, 3 + i)
        qc.h(6 + i)
    qc.measure([6, 7, 8], [0, 1, 2])
    return qc
