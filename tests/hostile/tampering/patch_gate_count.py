# does = "replaces the executor's function that counts the gates of a circuit"
# control = "gates"
import sys

from qiskit import QuantumCircuit

print("attacking", flush=True)
for name, module in list(sys.modules.items()):
    if name.endswith("qiskit_gates"):
        module.count = lambda circuit: {"h": 2, "cz": 1}


def answer():
    circuit = QuantumCircuit(2)
    circuit.cx(0, 1)
    return circuit
