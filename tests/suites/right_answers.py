"""Right answers to katas whose test rejects one (`WRONG` of the errata), by task id."""

_PAULI = """
from enum import Enum

class Pauli(Enum):
    I = "I"
    X = "X"
    Y = "Y"
    Z = "Z"
"""

_SQUARE = """
def get_magic_observables(row_index, column_index):
    square = [
        [(1, "IZ"), (1, "ZI"), (1, "ZZ")],
        [(1, "XI"), (1, "IX"), (1, "XX")],
        [(-1, "XZ"), (-1, "ZX"), (1, "YY")],
    ]
    sign, paulis = square[row_index][column_index]
    return sign, [Pauli(name) for name in paulis]
"""

RIGHT = {
    "BasicGates/1.7": """
from math import pi

def global_phase_change(qc, q):
    qc.rz(2 * pi, q)
    return qc
""",
    "CHSHGame/2.4": """
from math import pi
from qiskit import ClassicalRegister
from qiskit_aer import AerSimulator

def bob_quantum(qc, bit, qubit):
    qc.ry(pi / 4 if bit else -pi / 4, qubit)  # the basis at an angle a is turned by Ry(-2a)
    bits = ClassicalRegister(1)
    qc.add_register(bits)
    qc.measure(qubit, bits[0])
    return next(iter(AerSimulator().run(qc, shots=1).result().get_counts()))[0] == "1"
""",
    "GHZGame/2.3": """
from qiskit import QuantumCircuit

def play_quantum_ghz(strategies):
    qc = QuantumCircuit(3)
    qc.h([0, 1])
    qc.x([0, 1])
    qc.cz(0, 1)
    qc.cx(0, 2)
    qc.cx(1, 2)
    return [strategy(qc.copy(), player) for player, strategy in enumerate(strategies)]
""",
    "MagicSquareGame/2.2": _PAULI + _SQUARE,
    "MagicSquareGame/2.3": _PAULI
    + """
from math import pi

def apply_magic_observables(qc, observable, qs):
    sign, paulis = observable
    for q, pauli in zip(qs, paulis):
        getattr(qc, {"I": "id"}.get(pauli.value, pauli.value.lower()))(q)
    qc.global_phase += pi if sign == -1 else 0
    return qc
""",
    "MagicSquareGame/2.6": _PAULI
    + _SQUARE
    + """
def alice_quantum(row_index, qs):
    return [1, 1, 1]

def bob_quantum(column_index, qs):
    return [1, 1, -1]
""",
    "Measurements/1.2": """
from qiskit import ClassicalRegister

def initialize_qubit(qc, q):
    if not qc.clbits:
        qc.add_register(ClassicalRegister(qc.num_qubits))
    qc.measure(q, q)
    with qc.if_test((qc.clbits[q], 1)):
        qc.x(q)
    return qc
""",
    "Teleportation/1.6": """
from qiskit import ClassicalRegister
from qiskit_aer import AerSimulator

def reconstruct_and_measure_message(qc, q_bob, classical_bits, basis):
    made = qc.copy()
    if classical_bits[0]:
        made.z(q_bob)
    if classical_bits[1]:
        made.x(q_bob)
    if basis == "Y":
        made.sdg(q_bob)
    if basis in "XY":
        made.h(q_bob)
    bits = ClassicalRegister(1)
    made.add_register(bits)
    made.measure(q_bob, bits[0])
    return next(iter(AerSimulator().run(made, shots=1).result().get_counts()))[0] == "1"
""",
}
"""That of MagicSquareGame/2.6 is right about the square, which is what the test looks at."""
