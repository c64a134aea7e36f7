# /// hostile
# does = "gives its module an `all` that hides the built-in one from a test that runs in a copy of it"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["guarded", "unguarded"]
# ///
from qiskit import QuantumCircuit

print("attacking", flush=True)


def all(values):
    return True


def answer():
    return QuantumCircuit(2)
