# does = "is a class, with its circuit inside"
# accept = ["returned"]
# framework = "qiskit"
from qiskit import QuantumCircuit


class answer:
    def __init__(self):
        self.circuit = QuantumCircuit(2)
