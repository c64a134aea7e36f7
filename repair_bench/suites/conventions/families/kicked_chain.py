"""A pipeline of two stages: couplings in a chain of three spins, and a kick by a field."""

from itertools import pairwise
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, cx, rx, ry, rz
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3
COUPLINGS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1)
FIELDS = (0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05)


def cases(rng: Random, _: Constants) -> list[tuple[float, float]]:
    return list(zip(rng.sample(COUPLINGS, 8), rng.sample(FIELDS, 8), strict=True))


def circuit(choice: Choice, _: Constants, coupling: float, field: float) -> Circuit:
    time = 1 if choice["exponent"] == "minus" else -1
    component = 0.5 if choice["spin"] == "half" else 1
    energy = (coupling if choice["coupling"] == "plus" else -coupling) * component**2
    couplings: list[Gate] = []
    for one, other in pairwise(range(QUBITS)):
        couplings += [cx(one, other), rz(2 * energy * time, other), cx(one, other)]
    turn = rx if choice["axis"] == "x" else ry
    kick = [turn(2 * field * component * time, qubit) for qubit in range(QUBITS)]
    return Circuit(QUBITS, (*couplings, *kick) if choice["first"] == "couplings" else (*kick, *couplings))


FAMILY = Family(
    name="kicked_chain",
    title="A kicked chain of spins",
    entry_point="kicked_chain",
    parameters="coupling: float, field: float",
    kind="unitary",
    size=QUBITS,
    stages=2,
    category="algorithm",
    concepts=("hamiltonian simulation",),
    statement="""
Implement a pipeline of two stages for an open chain of three spins, qubits 0, 1 and 2. One stage is the exponential of
i A, the other is the exponential of i B, with the same sign of both exponents. A is the sum over pairs of neighbours
of `coupling` times the product of their z components, up to its sign. B is `field` times the sum over all spins of
their components along the axis of the field.
""",
    dimensions=(
        dimension(
            "exponent",
            "the sign of the exponents",
            "whether the stages are exp(-i A) and exp(-i B), or exp(+i A) and exp(+i B)",
            minus="The stages are exp(-i A) and exp(-i B).",
            plus="The stages are exp(+i A) and exp(+i B).",
        ),
        dimension(
            "first",
            "the order of the stages",
            "whether the stage of A or the stage of B acts on the state first",
            couplings="The stage of A acts on the state first, then the stage of B.",
            kick="The stage of B acts on the state first, then the stage of A.",
        ),
        dimension(
            "zero",
            "the zero of the energy",
            "whether A has no constant term, or includes a constant term such that its lowest energy is 0",
            mean="A has no constant term.",
            lowest="A includes a constant term such that its lowest energy is 0.",
        ),
        dimension(
            "coupling",
            "the sign of the coupling",
            "whether A is the sum of +coupling or of -coupling times the products",
            plus="A is the sum of +coupling times the products.",
            minus="A is the sum of -coupling times the products.",
        ),
        dimension(
            "spin",
            "the spin operators",
            "whether the components of a spin are the Pauli matrices or half of them",
            pauli="The components of a spin are the Pauli matrices.",
            half="The components of a spin are half of the Pauli matrices.",
        ),
        dimension(
            "axis",
            "the axis of the field",
            "whether the field is along the x axis or the y axis",
            x="The field is along the x axis.",
            y="The field is along the y axis.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
