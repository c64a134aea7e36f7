# does = "gives the library's forbidden gate the name of an allowed one"
from qiskit import QuantumCircuit
from qiskit.circuit.library import CXGate

print("attacking", flush=True)


def answer():
    gate = CXGate().to_mutable()
    gate.name = "cz"
    circuit = QuantumCircuit(2)
    circuit.append(gate, [0, 1], copy=False)
    return circuit
