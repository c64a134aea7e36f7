"""A pipeline of two stages: an exchange interaction of two qubits, and a detuning of one of them."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, cx, p, rx, ry, rz
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

COUPLINGS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1)
DETUNINGS = (0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05)


def cases(rng: Random, _: Constants) -> list[tuple[float, float]]:
    return list(zip(rng.sample(COUPLINGS, 8), rng.sample(DETUNINGS, 8), strict=True))


def circuit(choice: Choice, _: Constants, coupling: float, detuning: float) -> Circuit:
    sign = 1 if choice["exponent"] == "minus" else -1
    both = (0, 1)
    quarter = math.pi / 2
    zz = [cx(0, 1), rz(sign * coupling, 1), cx(0, 1)]
    # y and x rotations by a quarter turn map X and Y to Z
    xx = [*(ry(-quarter, qubit) for qubit in both), *zz, *(ry(quarter, qubit) for qubit in both)]
    yy = [*(rx(quarter, qubit) for qubit in both), *zz, *(rx(-quarter, qubit) for qubit in both)]
    exchange: list[Gate] = [*xx, *yy, *(zz if choice["exchange"] == "isotropic" else [])]
    turn = p if choice["zero"] == "ground" else rz
    detuned = turn(sign * detuning, 0 if choice["detuned"] == "first" else 1)
    return Circuit(2, (*exchange, detuned) if choice["first"] == "exchange" else (detuned, *exchange))


FAMILY = Family(
    name="exchange_pair",
    title="An exchange and a detuning",
    entry_point="exchange_and_detune",
    parameters="coupling: float, detuning: float",
    kind="unitary",
    size=2,
    stages=2,
    category="algorithm",
    concepts=("hamiltonian simulation",),
    statement="""
Implement a pipeline of two stages on two qubits. One stage is exp(-i C) or exp(+i C), and the other stage is exp(-i D)
or exp(+i D), with the same sign in both stages. C is coupling / 2 times the exchange interaction, which has one term
for each of two or three axes. Each term is the product of the two qubits' Pauli matrices for this axis. D is
detuning / 2 times the Pauli matrix Z of one of the qubits.
""",
    dimensions=(
        dimension(
            "exchange",
            "the exchange interaction",
            "whether the exchange interaction is XX + YY or XX + YY + ZZ",
            planar="The exchange interaction is XX + YY.",
            isotropic="The exchange interaction is XX + YY + ZZ.",
        ),
        dimension(
            "zero",
            "the zero point of the energy",
            "whether D has no constant term, or has a constant term that makes the energy of |0> equal to 0",
            mean="D has no constant term.",
            ground="D has a constant term that makes the energy of |0> equal to 0.",
        ),
        dimension(
            "first",
            "the order of the stages",
            "whether the stage with C or the stage with D acts on the state first",
            exchange="The stage with C acts on the state first, followed by the stage with D.",
            detuning="The stage with D acts on the state first, followed by the stage with C.",
        ),
        dimension(
            "exponent",
            "the sign of the exponents",
            "whether the stages are exp(-i C) and exp(-i D), or exp(+i C) and exp(+i D)",
            minus="The stages are exp(-i C) and exp(-i D).",
            plus="The stages are exp(+i C) and exp(+i D).",
        ),
        dimension(
            "detuned",
            "the detuned qubit",
            "whether qubit 0 or qubit 1 is detuned",
            first="Qubit 0 is detuned.",
            last="Qubit 1 is detuned.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
