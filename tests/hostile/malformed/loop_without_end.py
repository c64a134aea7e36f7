# does = "returns a circuit that loops while a bit is 0 that nothing ever sets"
# accept = ["returned"]
# framework = "qiskit"
from qiskit import QuantumCircuit


def answer():
    circuit = QuantumCircuit(2, 2)
    with circuit.while_loop((circuit.clbits[0], 0)):
        circuit.h(1)
    return circuit
