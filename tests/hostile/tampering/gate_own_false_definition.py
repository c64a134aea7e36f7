# does = "adds its gate to a library circuit: with allowed gates in the definition, and a forbidden one as the matrix"
import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import Gate

print("attacking", flush=True)


class Mine(Gate):
    def __init__(self):
        super().__init__("mine", 2, [])

    def _define(self):
        self.definition = QuantumCircuit(2)
        self.definition.h(1)
        self.definition.cz(0, 1)

    def to_matrix(self):
        return np.eye(4)[[0, 3, 2, 1]]


def answer():
    circuit = QuantumCircuit(2)
    circuit.append(Mine(), [0, 1])
    return circuit
