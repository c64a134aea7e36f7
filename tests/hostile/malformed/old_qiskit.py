# does = "is written for an old Qiskit"
# accept = ["exception"]
# framework = "qiskit"
from qiskit import Aer, QuantumCircuit, execute


def answer():
    circuit = QuantumCircuit(2, 2)
    return execute(circuit, Aer.get_backend("qasm_simulator")).result().get_counts()
