"""The phase of a rotation about the z axis, estimated with three bits."""

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
    # 4 and 12 are exact for both gates, and odd numbers for neither; for one gate, 8 is exact and has no sign
    return [(rng.choice((4, 12)),), (rng.choice((1, 3, 5, 7)),), (8,)]


FAMILY = Family(
    name="phase_estimation",
    title="Phase estimation",
    entry_point="estimate_phase",
    parameters="k: int",
    kind="distribution",
    size=BITS + 1,
    measured="the four bits of the result (the target qubit and the three bits of y, in the order of our convention)",
    category="algorithm",
    concepts=("phase estimation", "fourier transform"),
    statement="""
Implement three-bit phase estimation of a gate U, a rotation about the z axis by theta = k pi / 8, with the eigenstate
|1>. Use the textbook circuit on four qubits. The target qubit is in |1>. The three other qubits start in an equal
superposition and control U, U^2 and U^4. Then the quantum Fourier transform or its inverse is applied to these three
qubits, and they are read out as an integer y from 0 to 7. Measure all four qubits.
""",
    dimensions=(
        dimension(
            "order",
            "the order of the bits of y",
            "whether the most or the least significant bit of y comes first",
            most="Of the three bits of y, the most significant comes first in the result.",
            least="Of the three bits of y, the least significant comes first in the result.",
        ),
        dimension(
            "sign",
            "the sign of the phase that y encodes",
            "whether y encodes the eigenvalue exp(+2 pi i y / 8) or exp(-2 pi i y / 8)",
            plus="The integer y encodes the eigenvalue exp(+2 pi i y / 8).",
            minus="The integer y encodes the eigenvalue exp(-2 pi i y / 8).",
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
            "the position of the target qubit in the result",
            "whether the target qubit gives the first or the last bit of the result",
            end="The target qubit gives the last bit of the result, after the bits of y.",
            start="The target qubit gives the first bit of the result, before the bits of y.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
