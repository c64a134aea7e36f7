# does = "returns a circuit of 500 entangled qubits, which the observer must not try to simulate"
# accept = ["returned"]
# framework = "qiskit"
from qiskit import QuantumCircuit

    circuit = QuantumCircuit(500)
    circuit.h(range(500))
    return circuit
