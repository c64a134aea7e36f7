from qiskit import QuantumCircuit


def Simon_110(s):
    # f(x) = x, or x xor s where the first bit that s contains is 1
    j = s.index("1")
    qc = QuantumCircuit(6, 3)
    qc.h([0, 1, 2])
    for i in range(3):
        qc.cx(i, 3 + i)
    for i in range(3):
        if s[i] == "1":
            qc.cx(j, 3 + i)
    qc.h([0, 1, 2])
    qc.measure([0, 1, 2], [0, 1, 2])
    return qc
