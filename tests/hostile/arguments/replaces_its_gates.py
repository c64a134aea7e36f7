# does = "puts other gates into the circuit that it was given, the same as into its answer"
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
