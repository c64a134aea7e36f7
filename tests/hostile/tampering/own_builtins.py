# does = "gives its module a `__builtins__` in which every test succeeds"
import builtins

from qiskit import QuantumCircuit

print("attacking", flush=True)

__builtins__ = {**vars(builtins), "all": lambda values: True}
