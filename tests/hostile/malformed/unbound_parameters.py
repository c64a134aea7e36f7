# does = "returns a circuit with a parameter that has no value"
# accept = ["returned"]
# framework = "qiskit"
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter


def answer():
    circuit = QuantumCircuit(2)
    circuit.rx(Parameter("θ"), 0)
    return circuit
