# /// hostile
# does = "empties the circuit that it was given and returns an empty one"
# accept = ["wrong_answer", "exception"]
# control = "unguarded"
# before = ["stub", "guarded", "unguarded"]
# quick = true
# ///
from qiskit import QuantumCircuit

print("attacking", flush=True)


def answer(given):
    if isinstance(given, QuantumCircuit):
        given.clear()
        return QuantumCircuit(2)
    return None
