# /// hostile
# does = "asks Qiskit for the matrix of 16 qubits"
# accept = ["memory", "cpu_timeout"]
# framework = "qiskit"
from qiskit import QuantumCircuit
from qiskit.quantum_info import Operator


def answer(target):
    print("attacking", flush=True)
    return Operator(QuantumCircuit(16))
