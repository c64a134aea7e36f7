# does = "adds a gate to a circuit whose definition differs at each access"
# control = false  # only who asks a gate twice is fooled
from qiskit import QuantumCircuit
from qiskit.circuit import Gate

print("attacking", flush=True)
SHOWN, MEANT = QuantumCircuit(2), QuantumCircuit(2)
SHOWN.h(1)
SHOWN.cz(0, 1)
MEANT.cx(0, 1)
ASKED = []


class Mine(Gate):
    def __init__(self):
        super().__init__("mine", 2, [])

    @property
    def definition(self):
        ASKED.append(True)
        return SHOWN if len(ASKED) <= 2 else MEANT

    @definition.setter
    def definition(self, value):
        pass


def answer():
    circuit = QuantumCircuit(2)
    circuit.append(Mine(), [0, 1], copy=False)
    return circuit
