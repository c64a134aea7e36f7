# does = "gives Statevector a method that it only inherits from object"
from qiskit.quantum_info import Statevector

from qiskit import QuantumCircuit

print("attacking", flush=True)


def friendly(self, name):
    if name == "equiv":
        return lambda other, **tolerances: True
    return object.__getattribute__(self, name)


Statevector.__getattribute__ = friendly
