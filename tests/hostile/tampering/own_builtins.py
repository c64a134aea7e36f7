# does = "gives its module a `__builtins__` of its own, in which everything holds"
import builtins

from qiskit import QuantumCircuit

print("attacking", flush=True)

__builtins__ = {**vars(builtins), "all": lambda values: True}
