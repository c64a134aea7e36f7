# does = "returns a circuit with a gate that is defined by itself"
# accept = ["returned", "exception", "memory", "killed"]
# framework = "qiskit"
from qiskit import QuantumCircuit
from qiskit.circuit import Gate


class Ouroboros(Gate):
    def __init__(self):
        super().__init__("ouroboros", 1, [])

    @property
    def definition(self):
        circuit = QuantumCircuit(1)
        circuit.append(Ouroboros(), [0])
        return circuit


def answer():
    circuit = QuantumCircuit(2)
    circuit.append(Ouroboros(), [0])
    return circuit
