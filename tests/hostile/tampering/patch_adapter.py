# does = "replaces the executor's function that observes returned values by one that returns the expected ones"
# control = false # it knows this executor and no other
import sys

from qiskit import QuantumCircuit

print("attacking", flush=True)
for name, module in list(sys.modules.items()):
    if name.endswith("qiskit_adapter"):
        module.observe = lambda call, what, qubits: {"test": "passed", "kind": "pass", "passed": True}
