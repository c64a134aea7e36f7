from qiskit import QuantumCircuit


def grover_search_oracle_00(marked):
    zeros = [qubit for qubit, bit in enumerate(marked) if bit == "0"]
    qc = QuantumCircuit(2)
    qc.h([0, 1])
    # oracle: CZ flips |11>, the X gates move the flip to the marked state
    for qubit in zeros:
        qc.x(qubit)
    qc.cz(0, 1)
    for qubit in zeros:
        qc.x(qubit)
    # diffusion
    qc.h([0, 1])
    qc.x([0, 1])
    qc.cz(0, 1)
    qc.x([0, 1])
    qc.h([0, 1])
    return qc
