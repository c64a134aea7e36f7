# does = "returns an empty circuit of a class that claims to be equal to any other and to have other contents"
from qiskit import QuantumCircuit


class Agreeable(QuantumCircuit):
    def __eq__(self, other):
        return True

    def to_instruction(self, *args, **kwargs):
        circuit = QuantumCircuit(2)
        circuit.h(0)
        circuit.cx(0, 1)
        return circuit.to_instruction()

    to_gate = to_instruction


def answer():
    print("attacking", flush=True)
    return Agreeable(2)
