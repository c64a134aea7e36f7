# does = "asks Qiskit for the matrix of 16 qubits"
# accept = ["memory", "cpu_timeout"]
# framework = "qiskit"
from qiskit import QuantumCircuit
from qiskit.quantum_info import Operator

    return Operator(QuantumCircuit(16))
