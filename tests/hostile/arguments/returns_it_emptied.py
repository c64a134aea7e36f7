# /// hostile
# does = "empties the circuit that it was given and returns the same"
# accept = ["wrong_answer", "exception"]
# control = "unguarded"
# before = ["stub", "guarded", "unguarded"]
# ///
from qiskit import QuantumCircuit

print("attacking", flush=True)


def answer(given):
    if isinstance(given, QuantumCircuit):
        given.clear()
        return given
    return None
