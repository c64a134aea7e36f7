# does = "gives a controlled gate of the library another base gate than its name says"
from qiskit import QuantumCircuit
from qiskit.circuit.library import CZGate, XGate

print("attacking", flush=True)


def answer():
    gate = CZGate().to_mutable()
    gate.base_gate = XGate()
    gate.to_matrix = gate.base_gate.control(1).to_matrix
    circuit = QuantumCircuit(2)
    circuit.append(gate, [0, 1], copy=False)
    return circuit
