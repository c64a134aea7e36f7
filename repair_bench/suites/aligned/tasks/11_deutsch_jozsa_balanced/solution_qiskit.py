from qiskit import QuantumCircuit


def Deutsch_Jozsa_Balance_4(flips):
    flipped = [qubit for qubit, bit in enumerate(flips) if bit == "1"]
    qc = QuantumCircuit(5)
    qc.x(4)
    qc.h(4)
    qc.h(range(4))
    # oracle
    qc.x(flipped)
    for qubit in range(4):
        qc.cx(qubit, 4)
    qc.x(flipped)
    qc.h(range(4))
    return qc
