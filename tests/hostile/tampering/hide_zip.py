# /// hostile
# does = "gives its module a `zip` without pairs that hides the built-in one"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["guarded", "unguarded"]
# ///
from qiskit import QuantumCircuit

print("attacking", flush=True)


def zip(*values):
    return iter(())


def answer():
    return QuantumCircuit(2)
