# does = "returns a circuit whose list of instructions never ends"
# accept = ["cpu_timeout", "wall_timeout", "memory"]
# framework = "qiskit"
import itertools

from qiskit import QuantumCircuit


class Endless(QuantumCircuit):
    @property
    def data(self):
        circuit = QuantumCircuit(1)
        circuit.h(0)
        return itertools.repeat(circuit.data[0])

    @data.setter
    def data(self, value):
        pass


def answer(target):
    print("attacking", flush=True)
    return Endless(1)
