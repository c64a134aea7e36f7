"""A pipeline of two stages: the addition of a constant, then a phase that is proportional to the sum."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, increment, inverse, p, rz
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3
# 4 would not depend on the sign of the addition
AMOUNTS = (1, 2, 3, 5, 6, 7, 1, 3)
RATES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.9, 1.1, 1.2)


def cases(rng: Random, _: Constants) -> list[tuple[int, float]]:
    return list(zip(AMOUNTS, rng.sample(RATES, 8), strict=True))


def circuit(choice: Choice, _: Constants, amount: int, rate: float) -> Circuit:
    register = range(QUBITS) if choice["number"] == "first" else range(QUBITS)[::-1]
    step = increment(register) if choice["addition"] == "plus" else inverse(increment(register))
    sign = 1 if choice["phase"] == "plus" else -1
    turn = rz if choice["zero"] == "mean" else p
    weighted = range(QUBITS) if choice["weights"] == "first" else range(QUBITS)[::-1]
    phases = [turn(sign * rate * 2 ** (QUBITS - 1 - place), qubit) for place, qubit in enumerate(weighted)]
    return Circuit(QUBITS, (*step * amount, *phases))


FAMILY = Family(
    name="phase_counter",
    title="An addition and a phase",
    entry_point="add_and_turn",
    parameters="amount: int, rate: float",
    kind="unitary",
    size=QUBITS,
    stages=2,
    category="algorithm",
    concepts=("reversible arithmetic", "phase"),
    statement="""
Implement a pipeline of two stages on three qubits, which store a number in binary. Stage 1 adds `amount` to this number
or subtracts `amount` from it, modulo 8. Stage 2 reads the qubits as a number k from 0 to 7, possibly in a different bit
order from stage 1. Stage 2 then applies a phase of k times `rate` in radians, up to sign.
""",
    dimensions=(
        dimension(
            "number",
            "the qubit order in stage 1",
            "whether qubit 0 is the most or the least significant bit of the number in stage 1",
            first="In stage 1, qubit 0 is the most significant bit of the number.",
            last="In stage 1, qubit 0 is the least significant bit of the number.",
        ),
        dimension(
            "addition",
            "the choice between addition and subtraction",
            "whether stage 1 adds or subtracts the amount",
            plus="Stage 1 adds the amount.",
            minus="Stage 1 subtracts the amount.",
        ),
        dimension(
            "zero",
            "the zero of the phase",
            "whether the phase of stage 2 is 0 for k = 0, or is shifted by a constant so that its mean over all k is 0",
            number="The phase of stage 2 is 0 for k = 0.",
            mean="The phase of stage 2 is shifted by a constant so that its mean over all k is 0.",
        ),
        dimension(
            "weights",
            "the qubit order in stage 2",
            "whether qubit 0 is the most or the least significant bit of k",
            first="In stage 2, qubit 0 is the most significant bit of k.",
            last="In stage 2, qubit 0 is the least significant bit of k.",
        ),
        dimension(
            "phase",
            "the sign of the phase",
            "whether the phase factor is exp(+i k rate) or exp(-i k rate)",
            plus="The phase factor is exp(+i k rate).",
            minus="The phase factor is exp(-i k rate).",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
