from qiskit import QuantumCircuit


def Bernstein_Vazirani_011(a):
    qc = QuantumCircuit(4)
    qc.x(3)
    qc.h([0, 1, 2, 3])
    for qubit, bit in enumerate(a):
        if bit == "1":
            qc.cx(qubit, 3)
    qc.h([0, 1, 2])
    return qc
