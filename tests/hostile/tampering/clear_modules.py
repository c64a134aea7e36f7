# does = "empties the table of modules"
# accept = ["exception", "wrong_answer"]
# control = false # it deceives no grader; some graders crash
import sys

from qiskit import QuantumCircuit

    circuit = QuantumCircuit(2)
    sys.modules.clear()
    return circuit
