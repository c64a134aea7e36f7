"""A pipeline of two stages: a phase shift of one marked number, then a cyclic shift of all numbers."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, increment, inverse, p, rz, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3
# a palindrome would not depend on the order of the characters
STRINGS = ("001", "011", "100", "110")
EIGHTHS = (1, 2, 3, 5, 6, 7)


def cases(rng: Random, _: Constants) -> list[tuple[str, int]]:
    return [(marked, eighths) for marked in STRINGS for eighths in rng.sample(EIGHTHS, 2)]


def circuit(choice: Choice, _: Constants, marked: str, eighths: int) -> Circuit:
    angle = (1 if choice["phase"] == "plus" else -1) * eighths * math.pi / 8
    bits = marked if choice["letters"] == "first" else marked[::-1]
    flips = [x(qubit) for qubit, bit in enumerate(bits) if bit == "0"]
    steps = [*flips, p(angle, QUBITS - 1).controlled(*range(QUBITS - 1)), *flips]
    if choice["zero"] == "symmetric":  # a rotation of an unused direction: only a global phase
        steps += [rz(angle, 0), p(-angle, 0)]
    register = range(QUBITS) if choice["number"] == "first" else range(QUBITS)[::-1]
    shift = increment(register)
    return Circuit(QUBITS, (*steps, *(shift if choice["direction"] == "up" else inverse(shift))))


FAMILY = Family(
    name="marked_shift",
    title="A marked number and a shift",
    entry_point="mark_and_shift",
    parameters="marked: str, eighths: int",
    kind="unitary",
    size=QUBITS,
    stages=2,
    category="algorithm",
    concepts=("oracle", "reversible arithmetic"),
    statement="""
Implement a pipeline of two stages on three qubits. The string `marked` describes one basis state, the marked state,
with one character 0 or 1 per qubit. Stage 1 changes the phase of the marked state relative to all other basis states
by `eighths` * pi / 8, up to sign. Stage 2 adds 1 to the number that the three qubits store in binary, or subtracts 1
from it, modulo 8.
""",
    dimensions=(
        dimension(
            "zero",
            "the reference point of the phase",
            "whether stage 1 leaves the other basis states unchanged, or gives the marked state half the phase and all "
            "other basis states minus half the phase",
            others="Stage 1 leaves the other basis states unchanged.",
            symmetric=(
                "Stage 1 gives the marked state half the phase, and gives all other basis states minus half the phase."
            ),
        ),
        dimension(
            "letters",
            "the order of the characters",
            "whether the first character of `marked` describes qubit 0 or qubit 2",
            first="The first character of `marked` describes qubit 0.",
            last="The first character of `marked` describes qubit 2.",
        ),
        dimension(
            "phase",
            "the sign of the phase",
            "whether the phase of the marked state relative to the others is pi / 8 times `eighths` or -pi / 8 times "
            "`eighths`",
            plus="The phase of the marked state relative to the other basis states is pi / 8 times `eighths`.",
            minus="The phase of the marked state relative to the other basis states is -pi / 8 times `eighths`.",
        ),
        dimension(
            "direction",
            "the direction of the shift",
            "whether stage 2 adds 1 to the number or subtracts 1 from it",
            up="Stage 2 adds 1 to the number.",
            down="Stage 2 subtracts 1 from the number.",
        ),
        dimension(
            "number",
            "the order of the qubits that encode the number",
            "whether qubit 0 is the most or the least significant bit of the number in stage 2",
            first="In stage 2, qubit 0 is the most significant bit of the number.",
            last="In stage 2, qubit 0 is the least significant bit of the number.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
