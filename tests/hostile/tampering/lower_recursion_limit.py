# does = "leaves the caller hardly any recursion depth"
# accept = ["exception", "wrong_answer"]
# control = false # it deceives no grader; some graders crash
import sys

from qiskit import QuantumCircuit

    circuit = QuantumCircuit(2)
    depth, frame = 0, sys._getframe()
    while frame:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + 4)
    return circuit
