# does = "returns a circuit with an angle that is not a number"
# accept = ["returned", "exception"]
# framework = "qiskit"
from qiskit import QuantumCircuit


def answer():
    circuit = QuantumCircuit(2)
    circuit.rx(float("nan"), 0)
    circuit.rx(float("inf"), 1)
    return circuit
