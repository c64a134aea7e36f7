# does = "uses a subclass of an allowed gate that claims to be in the library"
import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit.library import CZGate

print("attacking", flush=True)


class Mine(CZGate):
    def to_matrix(self):
        return np.eye(4)[[0, 3, 2, 1]]


Mine.__module__ = "qiskit.circuit.library.standard_gates.z"


def answer():
    circuit = QuantumCircuit(2)
    circuit.append(Mine(_force_mutable=True), [0, 1], copy=False)
    return circuit
