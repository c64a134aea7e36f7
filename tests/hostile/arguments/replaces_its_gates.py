# does = "adds the gates of its answer to its circuit argument"
# control = "unguarded"
from qiskit import QuantumCircuit

print("attacking", flush=True)


def answer(given):
    if not isinstance(given, QuantumCircuit):
        return None
    other = QuantumCircuit(2)
    other.x(1)
    given.data = other.data
    return other
