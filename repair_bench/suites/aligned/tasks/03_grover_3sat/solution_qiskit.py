from qiskit import QuantumCircuit


def grover_3SAT(clauses):
    qc = QuantumCircuit(3)
    qc.h([0, 1, 2])
    # oracle: flip the one assignment that each clause rules out, where all its literals are false
    for clause in clauses:
        positive = [i - 1 for i in clause if i > 0]
        for qubit in positive:
            qc.x(qubit)
        qc.ccz(0, 1, 2)
        for qubit in positive:
            qc.x(qubit)
    # diffusion
    qc.h([0, 1, 2])
    qc.x([0, 1, 2])
    qc.ccz(0, 1, 2)
    qc.x([0, 1, 2])
    qc.h([0, 1, 2])
    return qc
