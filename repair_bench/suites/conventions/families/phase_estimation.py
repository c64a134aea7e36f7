"""The phase of a gate about the z axis, estimated with three bits."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, Measure, fourier, h, x
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

BITS = 3
TARGET = BITS


def circuit(choice: Choice, _: Constants, k: int) -> Circuit:
    qubits = tuple(range(BITS))
    gate = "p" if choice["gate"] == "phase" else "rz"
    angle = k * math.pi / 8
    steps = [x(TARGET), *map(h, qubits)]
    steps += [Gate(gate, (TARGET,), angle * 2 ** (BITS - 1 - qubit)).controlled(qubit) for qubit in qubits]
    steps += fourier(qubits, sign=-1 if choice["sign"] == "plus" else 1)
    readout = qubits if choice["order"] == "most" else qubits[::-1]
    order = (*readout, TARGET) if choice["place"] == "end" else (TARGET, *readout)
    return Circuit(BITS + 1, (*steps, *(Measure(qubit, bit) for bit, qubit in enumerate(order))))


def cases(rng: Random, _: Constants) -> list[tuple[int]]:
    # 4 and 12 are exact for both gates, odd numbers for neither; 8 is exact and has no sign for one of them
    return [(rng.choice((4, 12)),), (rng.choice((1, 3, 5, 7)),), (8,)]


FAMILY = Family(
    name="phase_estimation",
    title="Phase estimation",
    entry_point="estimate_phase",
    parameters="k: int",
    kind="distribution",
    size=BITS + 1,
    measured="the three bits of the readout and the bit of the qubit that U acts on, in the order that we use",
    category="algorithm",
    concepts=("phase estimation", "fourier transform"),
    statement="""
For a demonstration of phase estimation with three bits: gate U turns about the z axis by theta = k pi / 8, and we
estimate its phase on the eigenstate |1>. It is the textbook circuit on four qubits: one holds |1>, and three in equal
superposition control U, U^2 and U^4, then go through one Fourier transform, in the direction that fits, and are read
out as a number y from 0 to 7. All four qubits are measured.
""",
    dimensions=(
        dimension(
            "order",
            "the order of the readout's bits",
            "whether the bits of y come with the most or the least significant one first",
            most="Of the three bits of y the most significant comes first in the result.",
            least="Of the three bits of y the least significant comes first in the result.",
        ),
        dimension(
            "sign",
            "the sign of the phase that is read out",
            "whether y stands for the eigenvalue exp(+2 pi i y / 8) or exp(-2 pi i y / 8)",
            plus="A readout y stands for the eigenvalue exp(+2 pi i y / 8).",
            minus="A readout y stands for the eigenvalue exp(-2 pi i y / 8).",
        ),
        dimension(
            "gate",
            "the matrix of U",
            "whether U is diag(1, exp(i theta)) or diag(exp(-i theta / 2), exp(i theta / 2))",
            phase="U is diag(1, exp(i theta)).",
            rotation="U is diag(exp(-i theta / 2), exp(i theta / 2)).",
        ),
        dimension(
            "place",
            "where the qubit that U acts on stands in the result",
            "whether the qubit that U acts on is the first or the last bit of the result",
            end="In the result the qubit that U acts on is the last bit, after those of y.",
            start="In the result the qubit that U acts on is the first bit, before those of y.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
