from qiskit import QuantumCircuit
from qiskit.circuit.library import QFTGate


def period_finding_7_15(start):
    qc = QuantumCircuit(7)
    phase, work = [0, 1, 2], [3, 4, 5, 6]
    for i, bit in enumerate(f"{start:04b}"):
        if bit == "1":
            qc.x(work[i])
    qc.h(phase)

    # 7^4 = 1 mod 15: nothing to do for qubit 0
    # 7^2 = 4 mod 15: the bits move by two places
    qc.cswap(1, 3, 5)
    qc.cswap(1, 4, 6)
    # 7 = -8 mod 15: the bits move by three places and are complemented
    qc.cswap(2, 5, 6)
    qc.cswap(2, 4, 5)
    qc.cswap(2, 3, 4)
    qc.cx(2, work)

    # QFTGate takes the least significant qubit first
    qc.append(QFTGate(3).inverse(), phase[::-1])
    return qc
