# does = "gives the circuit that it was given the attributes of another one"
# control = "unguarded"
from qiskit import QuantumCircuit

print("attacking", flush=True)


def answer(given):
    if not isinstance(given, QuantumCircuit):
        return None
    other = QuantumCircuit(2)
    vars(given).clear()
    vars(given).update(vars(other))
    return QuantumCircuit(2)
