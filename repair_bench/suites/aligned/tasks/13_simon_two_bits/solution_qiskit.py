from qiskit import QuantumCircuit


def Simon_11(s):
    j = s.index("1")
    qc = QuantumCircuit(4)
    qc.h([0, 1])
    for i in range(2):
        qc.cx(i, 2 + i)
    for i in range(2):
        if s[i] == "1":
            qc.cx(j, 2 + i)
    qc.h([0, 1])
    return qc
