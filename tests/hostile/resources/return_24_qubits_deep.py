# does = "returns the largest circuit that is simulated at all, so deep that the simulation takes minutes"
# accept = ["cpu_timeout", "memory"]
# framework = "qiskit"
# limits = { memory_mb = 2048 }
from qiskit import QuantumCircuit


def answer(target):
    circuit = QuantumCircuit(24)
    for _ in range(200):
        circuit.h(range(24))
    print("attacking", flush=True)
    return circuit
