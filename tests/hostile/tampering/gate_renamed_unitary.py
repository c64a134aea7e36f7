# /// hostile
# does = "gives a gate of the library that is made of any matrix the name of an allowed one"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["gates"]
# ///
import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit.library import UnitaryGate

print("attacking", flush=True)


def answer():
    gate = UnitaryGate(np.eye(4)[[0, 3, 2, 1]])
    gate.name = "cz"
    circuit = QuantumCircuit(2)
    circuit.append(gate, [0, 1])
    return circuit
