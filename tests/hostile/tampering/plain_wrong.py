# does = "returns a wrong circuit and does nothing else: what every other program of this folder is measured against"
# accept = ["wrong_answer"]
# control = false # nobody is fooled by it
# quick = true
from qiskit import QuantumCircuit

    return QuantumCircuit(2)
