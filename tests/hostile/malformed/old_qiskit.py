# does = "is written for the Qiskit of long ago"
# accept = ["exception"]
# framework = "qiskit"
from qiskit import Aer, QuantumCircuit, execute


def answer():
    circuit = QuantumCircuit(2, 2)
    return execute(circuit, Aer.get_backend("qasm_simulator")).result().get_counts()
