"""A pipeline of two stages: a random number with given weights, then a shift."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, Measure, increment, inverse, ry, z
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

HIGH, LOW = range(2)


def cases(rng: Random, _: Constants) -> list[tuple[list[int]]]:
    made: set[tuple[int, ...]] = set()
    while len(made) < 8:
        made.add(tuple(rng.sample(range(1, 8), 4)))
    return [(list(weights),) for weights in sorted(made)]


def circuit(choice: Choice, _: Constants, weights: list[int]) -> Circuit:
    order = weights if choice["list"] == "up" else weights[::-1]
    shares = [weight if choice["weight"] == "probability" else weight**2 for weight in order]
    steps: list[Gate] = [ry(_share(sum(shares[:2]), sum(shares[2:])), HIGH)]
    steps += [ry(_share(*shares[2 * bit : 2 * bit + 2]), LOW).controlled((HIGH, bit)) for bit in (0, 1)]
    if choice["signs"] == "alternating":
        steps.append(z(LOW))
    shift = increment((HIGH, LOW))
    steps += shift if choice["shift"] == "up" else inverse(shift)
    record = (HIGH, LOW) if choice["order"] == "most" else (LOW, HIGH)
    return Circuit(2, (*steps, *(Measure(qubit, bit) for bit, qubit in enumerate(record))))


def _share(zero: int, one: int) -> float:
    """Return the angle of a y rotation of |0> after which the probabilities of 0 and 1 are proportional to `zero` and
    `one`.
    """
    return 2 * math.atan2(math.sqrt(one), math.sqrt(zero))


FAMILY = Family(
    name="weighted_draw",
    title="A random number with given weights, then a shift",
    entry_point="draw_and_shift",
    parameters="weights: list[int]",
    kind="distribution",
    size=2,
    stages=2,
    measured="the two bits of the number after stage 2",
    category="algorithm",
    concepts=("measurement", "state preparation"),
    statement="""
Implement a pipeline of two stages on two qubits. Stage 1 prepares a superposition of the numbers k from 0 to 3, in
which `weights` determines the amplitudes. Stage 2 shifts the number by one, modulo 4. Then measure the number.
""",
    dimensions=(
        dimension(
            "weight",
            "the meaning of a weight",
            "whether the weights are proportional to the probabilities or to the amplitudes of the numbers",
            probability="The weights are proportional to the probabilities of the numbers.",
            amplitude="The weights are proportional to the amplitudes of the numbers.",
        ),
        dimension(
            "list",
            "the order of the weights",
            "whether the first weight is for the number 0 and the last weight is for the number 3, or the reverse",
            up="The first weight is for the number 0, and the last weight is for the number 3.",
            down="The first weight is for the number 3, and the last weight is for the number 0.",
        ),
        dimension(
            "signs",
            "the signs of the amplitudes",
            "whether the amplitudes after stage 1 are positive for all k, or positive for even k and negative for odd "
            "k",
            positive="The amplitudes after stage 1 are positive for all k.",
            alternating="The amplitudes after stage 1 are positive for even k and negative for odd k.",
        ),
        dimension(
            "shift",
            "the direction of the shift",
            "whether stage 2 adds 1 to the number or subtracts 1 from it",
            up="Stage 2 adds 1 to the number.",
            down="Stage 2 subtracts 1 from the number.",
        ),
        dimension(
            "order",
            "the order of the measured bits",
            "whether the most or the least significant bit of the number comes first",
            most="The most significant bit of the number comes first.",
            least="The least significant bit of the number comes first.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
