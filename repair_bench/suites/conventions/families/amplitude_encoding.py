"""A list of numbers loaded into the amplitudes of three qubits."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, h, ry
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3
LENGTH = 2**QUBITS


def cases(rng: Random, _: Constants) -> list[tuple[list[int]]]:
    """The first case does not depend on the bit order; the second does not depend on the signs."""
    a, b, c, d, e, f = rng.sample(range(1, 10), 6)
    signed = rng.choice([[a, -b, c, d, -b, e, d, f], [a, b, -c, -d, b, e, -d, f], [-a, b, c, -d, b, -e, -d, f]])
    return [(signed,), (rng.sample(range(1, 10), 5),), ([0] * 4,)]


def circuit(choice: Choice, _: Constants, numbers: list[int]) -> Circuit:
    if not any(numbers):
        return Circuit(QUBITS, () if choice["zeros"] == "ground" else tuple(h(qubit) for qubit in range(QUBITS)))
    zeros = [0] * (LENGTH - len(numbers))
    filled = numbers + zeros if choice["filling"] == "end" else zeros + numbers
    sizes = [abs(number) ** (0.5 if choice["scale"] == "probability" else 1) for number in filled]
    signs = [-1 if number < 0 and choice["sign"] == "kept" else 1 for number in filled]
    amplitudes = [size * sign for size, sign in zip(sizes, signs, strict=True)]
    order = range(QUBITS) if choice["order"] == "first" else range(QUBITS)[::-1]
    return Circuit(QUBITS, tuple(_loaded(amplitudes, list(order), ())))


def _loaded(amplitudes: list[float], qubits: list[int], controls: tuple[tuple[int, int], ...]) -> list[Gate]:
    """Return rotations that prepare a state whose amplitudes are proportional to `amplitudes`.

    The first of the `qubits` is the most significant.
    """
    half = len(amplitudes) // 2
    low, high = amplitudes[:half], amplitudes[half:]
    if half == 1:
        return [ry(2 * math.atan2(high[0], low[0]), qubits[0]).controlled(*controls)]
    gates = [ry(2 * math.atan2(math.hypot(*high), math.hypot(*low)), qubits[0]).controlled(*controls)]
    for value, part in enumerate((low, high)):
        if any(part):
            gates += _loaded(part, qubits[1:], (*controls, (qubits[0], value)))
    return gates


FAMILY = Family(
    name="amplitude_encoding",
    title="Amplitude encoding",
    entry_point="encode",
    parameters="numbers: list[int]",
    kind="state",
    size=QUBITS,
    category="state_preparation",
    concepts=("state preparation", "amplitude encoding"),
    statement="""
Encode a list of at most eight integers in the real amplitudes of three qubits. Pad a list of fewer than
eight integers with zeros to a length of eight. Entry i of the padded list, indexed from 0, determines the amplitude of
basis state i. Normalise the state.
""",
    dimensions=(
        dimension(
            "order",
            "the order of the qubits in the index",
            "whether qubit 0 is the most or the least significant bit of i",
            first="Qubit 0 is the most significant bit of i.",
            last="Qubit 0 is the least significant bit of i.",
        ),
        dimension(
            "sign",
            "the treatment of negative numbers",
            "whether a negative number gives a negative amplitude or a positive one",
            kept="A negative number gives a negative amplitude, a positive number a positive one.",
            magnitude="Only magnitudes matter: a negative number gives a positive amplitude.",
        ),
        dimension(
            "scale",
            "the magnitude of an amplitude",
            "whether the magnitude of an amplitude is proportional to the absolute value of the corresponding number "
            "or to the square root of this absolute value",
            amplitude=(
                "The magnitude of an amplitude is proportional to the absolute value of the corresponding number."
            ),
            probability=(
                "The magnitude of an amplitude is proportional to the square root of the absolute value of the "
                "corresponding number."
            ),
        ),
        dimension(
            "filling",
            "the padding of short lists",
            "whether a short list is padded with zeros at the end or at the start",
            end="A short list is padded with zeros at the end.",
            start="A short list is padded with zeros at the start.",
        ),
        dimension(
            "zeros",
            "lists that contain only zeros",
            "whether a list that contains only zeros gives |000> or the superposition of all basis states with equal "
            "amplitudes",
            ground="A list that contains only zeros gives |000>.",
            uniform=(
                "A list that contains only zeros gives the superposition of all basis states with equal amplitudes."
            ),
        ),
    ),
    cases=cases,
    circuit=circuit,
)
