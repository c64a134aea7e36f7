from qiskit import QuantumCircuit


def Deutsch_Jozsa_Balance_4(flips):
    flipped = [qubit for qubit, bit in enumerate(flips) if bit == "1"]
    qc = QuantumCircuit(5)
    qc.x(4)
    qc.h(4)
    qc.h(range(4))
    # oracle
    for qubit in flipped:
        qc.x(qubit)
    for qubit in range(4):
        qc.cx(qubit, 4)
    for qubit in flipped:
        qc.x(qubit)
    qc.h(range(4))
    return qc
