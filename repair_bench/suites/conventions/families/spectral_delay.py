"""A pipeline of two stages on three qubits: a Fourier transform, then a delay of the signal.

The delay changes the phase of each frequency.
"""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, fourier, p, rz, swap
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3
DELAYS = (0.3, 0.4, 0.6, 0.7, 0.8, 1.2, 1.3, 1.4, 1.6, 1.7)


def cases(rng: Random, _: Constants) -> list[tuple[float]]:
    return [(delay,) for delay in rng.sample(DELAYS, 8)]


def circuit(choice: Choice, _: Constants, tau: float) -> Circuit:
    steps = list(fourier(range(QUBITS), sign=1 if choice["sign"] == "plus" else -1))
    bits = list(range(QUBITS))
    if choice["output"] == "last":
        steps.append(swap(0, QUBITS - 1))
        bits.reverse()
    turn = rz if choice["zero"] == "mean" else p
    values = [2 ** (QUBITS - 1 - place) for place in range(QUBITS)]
    if choice["frequencies"] == "centred":
        values[0] -= 2**QUBITS
    unit = (2 if choice["delay"] == "plus" else -2) * math.pi * tau / 2**QUBITS
    return Circuit(QUBITS, (*steps, *(turn(unit * value, qubit) for qubit, value in zip(bits, values, strict=True))))


FAMILY = Family(
    name="spectral_delay",
    title="A Fourier transform and a delay",
    entry_point="delayed_spectrum",
    parameters="tau: float",
    kind="unitary",
    size=QUBITS,
    stages=2,
    category="algorithm",
    concepts=("fourier transform", "phase"),
    statement="""
Implement a pipeline of two stages on three qubits. Stage 1 is the quantum Fourier transform: it maps an integer j from
0 to 7, whose most significant bit is qubit 0, to the sum over eight frequencies, each with amplitude 1 / sqrt(8). The
phase at output index y is 2 pi j y / 8, up to sign. Each output index y has a frequency f, which is equal to y or
differs from y by 8. Stage 2 delays the signal: it changes the phase at each output index by 2 pi f tau / 8, up to sign.
""",
    dimensions=(
        dimension(
            "sign",
            "the sign of the exponent in stage 1",
            "whether the phase factor of stage 1 is exp(+2 pi i j y / 8) or exp(-2 pi i j y / 8)",
            plus="The phase factor of stage 1 is exp(+2 pi i j y / 8).",
            minus="The phase factor of stage 1 is exp(-2 pi i j y / 8).",
        ),
        dimension(
            "zero",
            "the reference point of the phase in stage 2",
            "whether the phase change of stage 2 is 0 at frequency 0, or a constant is added so that the mean phase "
            "change over all output indices is 0",
            frequency="The phase change of stage 2 is 0 at frequency 0.",
            mean="In stage 2, a constant is added so that the mean phase change over all output indices is 0.",
        ),
        dimension(
            "output",
            "the qubit order of the output index",
            "whether qubit 0 is the most or the least significant bit of the output index y",
            first="After stage 1, qubit 0 is the most significant bit of the output index y.",
            last="After stage 1, qubit 0 is the least significant bit of the output index y.",
        ),
        dimension(
            "delay",
            "the sign of the exponent in stage 2",
            "whether the phase factor of stage 2 is exp(+2 pi i f tau / 8) or exp(-2 pi i f tau / 8)",
            plus="The phase factor of stage 2 is exp(+2 pi i f tau / 8).",
            minus="The phase factor of stage 2 is exp(-2 pi i f tau / 8).",
        ),
        dimension(
            "frequencies",
            "the range of the frequencies",
            "whether output index y corresponds to the frequency f = y, or to f = y for y below 4 and f = y - 8 "
            "otherwise",
            positive="Output index y corresponds to the frequency f = y.",
            centred="Output index y corresponds to the frequency f = y for y below 4 and f = y - 8 otherwise.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
