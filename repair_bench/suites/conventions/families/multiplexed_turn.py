"""A pipeline of two stages: a rotation whose angle depends on a number, then a shift of the number."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, increment, inverse, ry
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

TARGET = 2
ANGLES = (0.3, 0.5, 0.8, 1.0, 1.2, 1.5, 1.7)


def cases(rng: Random, _: Constants) -> list[tuple[list[float]]]:
    made: set[tuple[float, ...]] = set()
    while len(made) < 8:
        made.add(tuple(rng.sample(ANGLES, 4)))
    return [(list(angles),) for angles in sorted(made)]


def circuit(choice: Choice, _: Constants, angles: list[float]) -> Circuit:
    number = (0, 1) if choice["number"] == "first" else (1, 0)
    ordered = angles if choice["list"] == "up" else angles[::-1]
    full = 2 * math.pi if choice["range"] == "negative" else 0
    turns: list[Gate] = []
    for k, angle in enumerate(ordered):
        signed = angle if choice["sign"] == "plus" else -angle
        turns.append(ry(signed - full, TARGET).controlled((number[0], k // 2), (number[1], k % 2)))
    shift = increment(number)
    return Circuit(3, (*turns, *(shift if choice["shift"] == "up" else inverse(shift))))


FAMILY = Family(
    name="multiplexed_turn",
    title="A rotation by an angle from a list, then a shift",
    entry_point="turn_and_shift",
    parameters="angles: list[float]",
    kind="unitary",
    size=3,
    stages=2,
    category="decomposition",
    concepts=("controlled gates", "rotations"),
    statement="""
Implement a pipeline of two stages on three qubits. Qubits 0 and 1 store a number k from 0 to 3 in binary. The list
`angles` contains one angle for each k. Stage 1 rotates qubit 2 about the y axis by the angle for k, with a positive or
a negative sign. Stage 2 shifts the number k by one, modulo 4.
""",
    dimensions=(
        dimension(
            "range",
            "the range of the angles",
            "whether stage 1 rotates by the signed angle itself, or subtracts 2 pi from the signed angle and rotates "
            "by the result",
            given="Stage 1 rotates by the signed angle itself.",
            negative="Stage 1 subtracts 2 pi from the signed angle and rotates by the result.",
        ),
        dimension(
            "number",
            "the qubit order of the number",
            "whether qubit 0 is the most or the least significant bit of k",
            first="Qubit 0 is the most significant bit of k.",
            last="Qubit 0 is the least significant bit of k.",
        ),
        dimension(
            "sign",
            "the sign of the rotation",
            "whether the rotation by an angle is exp(-i angle Y / 2) or exp(+i angle Y / 2)",
            plus="The rotation by an angle is exp(-i angle Y / 2).",
            minus="The rotation by an angle is exp(+i angle Y / 2).",
        ),
        dimension(
            "list",
            "the order of the angles",
            "whether the first angle belongs to k = 0 and the last to k = 3, or the reverse",
            up="The first angle belongs to k = 0 and the last to k = 3.",
            down="The first angle belongs to k = 3 and the last to k = 0.",
        ),
        dimension(
            "shift",
            "the direction of the shift",
            "whether stage 2 adds 1 to k or subtracts 1 from it",
            up="Stage 2 adds 1 to k.",
            down="Stage 2 subtracts 1 from k.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
