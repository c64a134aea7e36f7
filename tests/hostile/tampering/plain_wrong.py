# does = "returns a wrong circuit and does nothing else: the baseline of the other programs of this folder"
# accept = ["wrong_answer"]
# control = false # nobody is fooled by it
from qiskit import QuantumCircuit

    return QuantumCircuit(2)
