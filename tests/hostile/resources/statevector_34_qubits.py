# does = "asks Qiskit for the state of 34 qubits"
# accept = ["memory"]
# framework = "qiskit"
from qiskit import QuantumCircuit
from qiskit.quantum_info import Statevector

    return Statevector(QuantumCircuit(34))
