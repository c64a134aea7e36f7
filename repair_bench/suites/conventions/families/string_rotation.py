"""A pipeline of two stages: a rotation about a Pauli string, then a cyclic shift of the qubits."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, cx, inverse, p, rz, swap
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3
# strings that differ from their reverse
STRINGS = ("XYZ", "ZXX", "YYX", "ZZY", "XZY", "YXX", "ZYX", "XXZ")
ANGLES = (0.4, 0.5, 0.7, 0.8, 1.1, 1.3, 1.4, 1.7)
TO_Z = {"X": ("h",), "Y": ("sdg", "h"), "Z": ()}
"""The gates that map the Pauli matrix of each letter to Z."""


def cases(rng: Random, _: Constants) -> list[tuple[str, float]]:
    return list(zip(rng.sample(STRINGS, 8), rng.sample(ANGLES, 8), strict=True))


def circuit(choice: Choice, _: Constants, letters: str, angle: float) -> Circuit:
    ordered = letters if choice["letters"] == "first" else letters[::-1]
    turn: list[Gate] = [Gate(name, (qubit,)) for qubit, letter in enumerate(ordered) for name in TO_Z[letter]]
    turn += [cx(0, 2), cx(1, 2)]
    full = angle * (1 if choice["sign"] == "minus" else -1) * (1 if choice["half"] == "half" else 2)
    # qubit i + 1 receives the content of qubit i, or the reverse
    move = [swap(1, 2), swap(0, 1)] if choice["move"] == "up" else [swap(0, 1), swap(1, 2)]
    quarter = (p if choice["quarter"] == "phase" else rz)(math.pi / 2, 0)
    return Circuit(QUBITS, (*turn, rz(full, 2), *inverse(turn), *move, quarter))


FAMILY = Family(
    name="string_rotation",
    title="A Pauli rotation and a permutation of qubits",
    entry_point="rotate_and_move",
    parameters="letters: str, angle: float",
    kind="unitary",
    size=QUBITS,
    stages=2,
    category="decomposition",
    concepts=("pauli operators", "permutation"),
    statement="""
Implement a pipeline of two stages on three qubits. Stage 1 is a rotation about the Pauli string P, which `letters`
contains as one letter X, Y or Z per qubit. The rotation is the exponential of i c P, where the magnitude of c is half
the angle or the whole angle. Stage 2 shifts the contents of the qubits cyclically by one place, and then applies a
quarter turn about the z axis to qubit 0.
""",
    dimensions=(
        dimension(
            "letters",
            "the order of the letters",
            "whether the first letter acts on qubit 0 or on qubit 2",
            first="The first letter acts on qubit 0.",
            last="The first letter acts on qubit 2.",
        ),
        dimension(
            "sign",
            "the sign of c",
            "whether the number c is negative or positive",
            minus="The number c is negative.",
            plus="The number c is positive.",
        ),
        dimension(
            "quarter",
            "the matrix of the quarter turn",
            "whether the quarter turn is diag(1, i) or diag(exp(-i pi / 4), exp(i pi / 4))",
            phase="The quarter turn is diag(1, i).",
            rotation="The quarter turn is diag(exp(-i pi / 4), exp(i pi / 4)).",
        ),
        dimension(
            "move",
            "the direction of the shift",
            "whether the content of each qubit i moves to qubit i + 1 or to qubit i - 1, modulo 3",
            up="Stage 2 moves the content of each qubit i to qubit i + 1, modulo 3.",
            down="Stage 2 moves the content of each qubit i to qubit i - 1, modulo 3.",
        ),
        dimension(
            "half",
            "the magnitude of c",
            "whether the magnitude of c is half the angle or the whole angle",
            half="The magnitude of c is half the angle, with a factor of 1/2.",
            whole="The magnitude of c is the whole angle, without a factor of 1/2.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
