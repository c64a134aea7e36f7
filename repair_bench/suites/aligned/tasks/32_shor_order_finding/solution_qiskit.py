from qiskit import QuantumCircuit
from qiskit.circuit.library import QFTGate


def controlled_multiply(qc, a, control, work):
    # modulo 15, minus is the complement of the four bits and doubling moves them by one place
    if a in (7, 11, 13, 14):
        qc.cx(control, work)
        a = 15 - a
    for _ in range(a.bit_length() - 1):
        qc.cswap(control, work[0], work[1])
        qc.cswap(control, work[1], work[2])
        qc.cswap(control, work[2], work[3])


def shor_7mod15(a):
    qc = QuantumCircuit(12)
    phase, work = list(range(8)), [8, 9, 10, 11]
    qc.x(11)
    qc.h(phase)
    for qubit in phase:
        controlled_multiply(qc, pow(a, 2 ** (7 - qubit), 15), qubit, work)
    # QFTGate takes the least significant qubit first
    qc.append(QFTGate(8).inverse(), phase[::-1])
    return qc
