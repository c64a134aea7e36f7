# /// hostile
# does = "asks Qiskit for the state of 34 qubits"
# accept = ["memory"]
# framework = "qiskit"
from qiskit import QuantumCircuit
from qiskit.quantum_info import Statevector


def answer(target):
    print("attacking", flush=True)
    return Statevector(QuantumCircuit(34))
