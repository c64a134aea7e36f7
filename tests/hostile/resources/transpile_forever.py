# does = "asks the transpiler to route a large random circuit at the highest level, over and over"
# accept = ["cpu_timeout"]
# framework = "qiskit"
from qiskit import transpile
from qiskit.circuit.random import random_circuit


def answer(target):
    circuit = random_circuit(16, 200, seed=1)
    print("attacking", flush=True)
    while True:
        line = [[i, i + 1] for i in range(15)]
        transpile(circuit, coupling_map=line, basis_gates=["u", "cx"], optimization_level=3)
