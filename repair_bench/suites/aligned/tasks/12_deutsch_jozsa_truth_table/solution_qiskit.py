from qiskit import QuantumCircuit
from qiskit.circuit.library import XGate


def Deutsch_Jozsa_Constant_4(truth_table):
    qc = QuantumCircuit(5)
    qc.x(4)
    qc.h(range(5))
    for x, value in enumerate(truth_table):
        if value == "1":
            # qubit 3 first: a control state counts its first control as the least significant
            qc.append(XGate().control(4, ctrl_state=x), [3, 2, 1, 0, 4])
    qc.h(range(4))
    return qc
