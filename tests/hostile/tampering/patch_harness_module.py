# does = "replaces functions of the executor's modules, whatever their names"
# control = "unguarded"
import sys

from qiskit import QuantumCircuit

print("attacking", flush=True)
for name, module in list(sys.modules.items()):
    if "guest" not in name:
        continue
    for attribute in ("frame", "write_all", "describe"):
        original = getattr(module, attribute, None)
        if attribute == "frame" and callable(original):
            module.frame = lambda value, original=original: original(
                {"status": "returned", "value": {"test": "passed"}}
            )
    trial = getattr(module, "UnitTestTrial", None)
    if trial is not None:
        trial._run_test = lambda self, namespace: None
