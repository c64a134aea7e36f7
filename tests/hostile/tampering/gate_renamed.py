import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit.library import UnitaryGate

print("attacking", flush=True)


def answer():
    gate = UnitaryGate(np.eye(4)[[0, 3, 2, 1]])
    gate.name = NAME
    circuit = QuantumCircuit(2)
    circuit.append(gate, [0, 1])
    return circuit


# /// gate_named_barrier
# does = "hides a gate of its own behind the name of an operation that is not counted"
# NAME = '"id"'

# /// gate_renamed_unitary
# does = "gives a gate of the library that is made of any matrix the name of an allowed one"
# NAME = '"cz"'
