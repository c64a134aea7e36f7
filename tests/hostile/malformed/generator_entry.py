# does = "yields its circuit instead of returning it"
# accept = ["returned"]
# framework = "qiskit"
from qiskit import QuantumCircuit


def answer():
    yield QuantumCircuit(2)
