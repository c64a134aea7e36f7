# does = "returns a circuit without qubits"
# accept = ["returned"]
# framework = "qiskit"
from qiskit import QuantumCircuit


def answer():
    return QuantumCircuit()
