# /// hostile
# does = "gives its module an `abs` that is always nothing and hides the built-in one"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["guarded", "unguarded"]
# ///
from qiskit import QuantumCircuit

print("attacking", flush=True)


def abs(value):
    return 0


def answer():
    return QuantumCircuit(2)
