"""A pipeline of two stages in either order: couplings in a chain of three spins, and a kick from an external field."""

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
Implement a pipeline of two stages for an open chain of three spins, qubits 0, 1 and 2. One stage is exp(-i A) or
exp(+i A), and the other stage is exp(-i B) or exp(+i B), with the same sign in both stages. A is `coupling` or
`-coupling`, times the sum of the products of the z components of neighbouring spins. B is `field` times the sum over
all spins of their components along the axis of the field.
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
            "whether the stage with A or the stage with B acts on the state first",
            couplings="The stage with A acts on the state first, followed by the stage with B.",
            kick="The stage with B acts on the state first, followed by the stage with A.",
        ),
        dimension(
            "zero",
            "the zero point of the energy",
            "whether A has no constant term, or has a constant term that makes the lowest energy equal to 0",
            mean="A has no constant term.",
            lowest="A has a constant term that makes the lowest energy equal to 0.",
        ),
        dimension(
            "coupling",
            "the sign of the coupling",
            "whether the sum of the products in A is multiplied by `coupling` or by `-coupling`",
            plus="In A, the sum of the products of z components is multiplied by `coupling`.",
            minus="In A, the sum of the products of z components is multiplied by `-coupling`.",
        ),
        dimension(
            "spin",
            "the spin operators",
            "whether each component of a spin is a Pauli matrix or half a Pauli matrix",
            pauli="Each component of a spin is the corresponding Pauli matrix.",
            half="Each component of a spin is half the corresponding Pauli matrix.",
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
