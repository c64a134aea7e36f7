# does = "uses a forbidden gate under the name of an allowed one, in a class that claims to be the library's"
# control = "gates"
import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import Gate

print("attacking", flush=True)


class Borrowed(Gate):
    def __init__(self):
        super().__init__("cz", 2, [])

    def to_matrix(self):
        return np.array([[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]], dtype=complex)

    def __array__(self, dtype=None, copy=None):
        return self.to_matrix()


Borrowed.__module__ = "qiskit.circuit.library.standard_gates.z"


def answer():
    circuit = QuantumCircuit(2)
    circuit.append(Borrowed(), [0, 1])
    return circuit
