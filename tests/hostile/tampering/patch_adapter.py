# does = "replaces the executor's function that looks at what was returned by one that says what a test would like"
# control = false # it knows this executor and no other
import sys

from qiskit import QuantumCircuit

print("attacking", flush=True)
for name, module in list(sys.modules.items()):
    if name.endswith("qiskit_adapter"):
        module.observe = lambda call, what, qubits: {"test": "passed", "kind": "pass", "passed": True}
