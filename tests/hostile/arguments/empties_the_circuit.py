# control = "unguarded"
from qiskit import QuantumCircuit

print("attacking", flush=True)


def answer(given):
    if isinstance(given, QuantumCircuit):
        given.clear()
        return ANSWER
    return None


# /// empties_the_circuit
# does = "empties the circuit that it was given and returns an empty one"
# ANSWER = "QuantumCircuit(2)"

# /// returns_it_emptied
# does = "empties the circuit that it was given and returns the same"
# ANSWER = "given"
