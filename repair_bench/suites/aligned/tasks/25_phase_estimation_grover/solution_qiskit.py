from qiskit import QuantumCircuit
from qiskit.circuit.library import QFTGate


def controlled_grover(qc, control, system):
    # I - 2|00><00|
    qc.x(system)
    qc.ccz(control, *system)
    qc.x(system)
    # I - 2|s><s|, and the sign of 2|s><s| - I as a Z on the control
    qc.h(system)
    qc.x(system)
    qc.ccz(control, *system)
    qc.x(system)
    qc.h(system)
    qc.z(control)


def qpe_grover00_gate(alpha, beta):
    qc = QuantumCircuit(5, 3)
    qc.rx(alpha, 3)
    qc.ry(beta, 4)
    qc.h([0, 1, 2])
    for control, power in [(0, 4), (1, 2), (2, 1)]:
        for _ in range(power):
            controlled_grover(qc, control, [3, 4])
    # QFTGate takes the least significant qubit first
    qc.append(QFTGate(3).inverse(), [2, 1, 0])
    qc.measure([0, 1, 2], [0, 1, 2])
    return qc
