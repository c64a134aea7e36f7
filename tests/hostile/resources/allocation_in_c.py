# /// hostile
# does = "makes a C++ library fail to allocate, which ends the process where nothing catches it"
# accept = ["memory", "exception", "killed"]
# framework = "qiskit"
# ///
from qiskit import QuantumCircuit


def answer(target):
    print("attacking", flush=True)
    circuit = QuantumCircuit(1)
    kept = []
    while True:
        kept.append(circuit.copy())
        for _ in range(10_000):
            kept[-1].h(0)
