# does = "gives one gate of the library, not its class, the matrix of a forbidden one"
import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit.library import CZGate

print("attacking", flush=True)


def answer():
    gate = CZGate().to_mutable()
    gate.to_matrix = lambda: np.eye(4)[[0, 3, 2, 1]]
    circuit = QuantumCircuit(2)
    circuit.append(gate, [0, 1], copy=False)
    return circuit
