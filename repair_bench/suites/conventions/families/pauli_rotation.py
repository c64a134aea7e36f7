"""The rotation of three qubits about a Pauli string."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, cx, h, inverse, rx, rz
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3


def cases(rng: Random, _: Constants) -> list[tuple[str, float]]:
    """The first case does not depend on the order, nor on the sign if c is pi/2; the second does not need padding."""
    outer, inner = rng.sample("XYZ", 2)
    word, short = "".join(rng.sample("XYZ", QUBITS)), "".join(rng.sample("XYZ", 2))
    first, second = rng.choice([0.3, 0.4, 0.6]), rng.choice([0.2, 0.7, 0.8])
    return [(outer + inner + outer, 0.5), (word, first), (short, second)]


def circuit(choice: Choice, _: Constants, word: str, angle: float) -> Circuit:
    filled = word.ljust(QUBITS, "I") if choice["filling"] == "right" else word.rjust(QUBITS, "I")
    letters = filled if choice["order"] == "first" else filled[::-1]
    c = angle * (math.pi if choice["unit"] == "pi" else 1) * (0.5 if choice["half"] == "half" else 1)
    touched = [qubit for qubit, letter in enumerate(letters) if letter != "I"]
    turned: list[Gate] = []
    for qubit in touched:
        turned += {"X": [h(qubit)], "Y": [rx(math.pi / 2, qubit)], "Z": []}[letters[qubit]]
    turned += [cx(qubit, touched[-1]) for qubit in touched[:-1]]
    about = rz(2 * c if choice["sign"] == "minus" else -2 * c, touched[-1])
    return Circuit(QUBITS, (*turned, about, *inverse(turned)))


FAMILY = Family(
    name="pauli_rotation",
    title="Rotation about a Pauli word",
    entry_point="rotate",
    parameters="word: str, angle: float",
    kind="unitary",
    size=QUBITS,
    category="decomposition",
    concepts=("rotations", "pauli strings"),
    statement="""
Rotate three qubits about a Pauli word, a string of at most three of the letters I, X, Y and Z. The rotation is the
exponential of i c P, where P is the product of the word's letters, each acting on its qubit, and the real number c is
determined by the angle. Pad a word of fewer than three letters with the letter I to length three.
""",
    dimensions=(
        dimension(
            "order",
            "the order of the letters",
            "whether the leftmost of the three letters acts on qubit 0 or on qubit 2",
            first="The leftmost of the three letters acts on qubit 0, the rightmost on qubit 2.",
            last="The leftmost of the three letters acts on qubit 2, the rightmost on qubit 0.",
        ),
        dimension(
            "half",
            "the size of the exponent",
            "whether the magnitude of c is the angle or half the angle",
            whole="The magnitude of c is the angle itself.",
            half="The magnitude of c is half the angle.",
        ),
        dimension(
            "sign",
            "the sign of the exponent",
            "whether c has the opposite sign of the angle or the same sign",
            minus="The number c has the opposite sign of the angle.",
            plus="The number c has the same sign as the angle.",
        ),
        dimension(
            "filling",
            "the padding of short words",
            "whether the letters I are added on the right or on the left of a short word",
            right="A short word is padded with I on the right.",
            left="A short word is padded with I on the left.",
        ),
        dimension(
            "unit",
            "the unit of the angle",
            "whether the angle is in radians or in units of pi",
            radian="The angle is in radians.",
            pi="The angle is in units of pi: the number 1 is an angle of pi radians.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
