"""A random number, recorded in four measured bits."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, Measure, cx, ry, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

HIGH, LOW, FLAG, PARITY, HIGH_KEPT, LOW_KEPT = range(6)


def cases(rng: Random, _: Constants) -> list[tuple[list[int], list[int]]]:
    """Return three cases.

    The answers to cases 1 and 3 do not depend on the bit order. The answers to cases 2 and 3 do not depend on the
    option for `unwanted`.
    """
    outer, inner, other = rng.sample(range(1, 7), 3)
    uneven = rng.sample(range(1, 7), 4)
    low, high = rng.sample(range(1, 7), 2)
    return [([outer, inner, inner, other], [1, 2]), (uneven, [0, 1, 2, 3]), ([low, 0, 0, high], [3])]


def circuit(choice: Choice, _: Constants, weights: list[int], wanted: list[int]) -> Circuit:
    steps: list[Gate] = [ry(_share(sum(weights[:2]), sum(weights[2:])), HIGH)]
    steps += [ry(_share(*weights[2 * bit : 2 * bit + 2]), LOW).controlled((HIGH, bit)) for bit in (0, 1)]
    steps += [x(FLAG).controlled((HIGH, number // 2), (LOW, number % 2)) for number in wanted]
    high, low = HIGH, LOW
    if choice["unwanted"] == "zero":
        steps += [x(HIGH_KEPT).controlled(HIGH, FLAG), x(LOW_KEPT).controlled(LOW, FLAG)]
        high, low = HIGH_KEPT, LOW_KEPT
    if choice["flag"] == "unwanted":
        steps.append(x(FLAG))
    steps += [cx(qubit, PARITY) for qubit in (high, low, FLAG)]
    if choice["parity"] == "odd":
        steps.append(x(PARITY))
    number = [high, low] if choice["order"] == "most" else [low, high]
    record = [FLAG, *number, PARITY] if choice["place"] == "before" else [*number, FLAG, PARITY]
    return Circuit(6, (*steps, *(Measure(qubit, bit) for bit, qubit in enumerate(record))))


def _share(zero: int, one: int) -> float:
    """Return the angle of the y rotation that changes |0> to a state whose outcomes 0 and 1 have the weights `zero` and
    `one`.
    """
    return 2 * math.atan2(math.sqrt(one), math.sqrt(zero))


FAMILY = Family(
    name="readout",
    title="A record of a random draw",
    entry_point="record",
    parameters="weights: list[int], wanted: list[int]",
    kind="distribution",
    size=4,
    measured="the four bits of the record",
    category="algorithm",
    concepts=("measurement", "sampling"),
    statement="""
Draw a random number k from 0 to 3, where k has the probability weights[k] / sum(weights). Record the draw in four
measured bits: two bits of the number, one flag that indicates whether k is in the list `wanted`, and, at the end, a
parity bit over the other three bits.
""",
    dimensions=(
        dimension(
            "order",
            "the bit order of the number",
            "whether the more or the less significant bit of the number comes first",
            most="The more significant of the two bits of the number comes first.",
            least="The less significant of the two bits of the number comes first.",
        ),
        dimension(
            "flag",
            "the value of the flag",
            "whether the flag is 1 or 0 if the drawn number is in `wanted`",
            wanted="The flag is 1 if the drawn number is in `wanted`, and 0 if it is not.",
            unwanted="The flag is 0 if the drawn number is in `wanted`, and 1 if it is not.",
        ),
        dimension(
            "place",
            "the position of the flag",
            "whether the flag comes before the number, or between the number and the parity bit",
            before="The flag comes before the number.",
            after="The flag comes between the number and the parity bit.",
        ),
        dimension(
            "unwanted",
            "the record of a number that is not in `wanted`",
            "whether a drawn number that is not in `wanted` is recorded unchanged or as 0",
            kept="A drawn number that is not in `wanted` is recorded unchanged.",
            zero="A drawn number that is not in `wanted` is recorded as 0.",
        ),
        dimension(
            "parity",
            "the parity bit",
            "whether the parity bit makes the number of ones among all four bits even or odd",
            even="The parity bit makes the number of ones among all four bits of the record even.",
            odd="The parity bit makes the number of ones among all four bits of the record odd.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
