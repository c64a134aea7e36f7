"""One Trotter step for a chain of three spins in a field."""

from itertools import pairwise
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate, cx, rx, rz
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3


def cases(rng: Random, _: Constants) -> list[tuple[float, float, float]]:
    """Return cases with couplings, with a field, and with both; only the last case reveals the order of the factors."""
    coupling, field = rng.choice([0.5, 0.75, 1.25]), rng.choice([0.6, 0.8, 1.2])
    both = rng.choice([0.5, 0.75]), rng.choice([0.6, 0.8])
    first, second, third = rng.choice([0.4, 0.5]), rng.choice([0.6, 0.7]), rng.choice([0.8, 0.9])
    return [(coupling, 0, first), (0, field, second), (*both, third)]


def circuit(choice: Choice, _: Constants, j: float, h: float, t: float) -> Circuit:
    time = t if choice["time"] == "forward" else -t
    pairs = list(pairwise(range(QUBITS))) + ([(QUBITS - 1, 0)] if choice["boundary"] == "ring" else [])
    component = 0.5 if choice["spin"] == "half" else 1
    energy = (j if choice["coupling"] == "plus" else -j) * component**2
    couplings: list[Gate] = []
    for one, other in pairs if j else []:
        couplings += [cx(one, other), rz(2 * energy * time, other), cx(one, other)]
    field = [rx(2 * h * component * time, qubit) for qubit in range(QUBITS)] if h else []
    return Circuit(QUBITS, (*couplings, *field) if choice["order"] == "couplings" else (*field, *couplings))


FAMILY = Family(
    name="hamiltonian_step",
    title="Trotter step of a spin chain",
    entry_point="step",
    parameters="j: float, h: float, t: float",
    kind="unitary",
    size=QUBITS,
    category="algorithm",
    concepts=("hamiltonian simulation", "trotter"),
    statement="""
Implement one first-order Trotter step for the exponential of i H t, up to the sign of the exponent. The Hamiltonian
H = A + B describes a chain of three spins, qubits 0, 1 and 2. A couples the z components of neighbouring spins with
strength j, and B is h times the sum of the x components of all spins. The step is a product of one exponential of A
and one exponential of B.
""",
    dimensions=(
        dimension(
            "time",
            "the sign of the exponent",
            "whether the step approximates exp(-i H t) or exp(+i H t)",
            forward="The step approximates exp(-i H t).",
            backward="The step approximates exp(+i H t).",
        ),
        dimension(
            "boundary",
            "the boundary of the chain",
            "whether the chain is open or closed into a ring, in which qubits 2 and 0 are also neighbours",
            open="The chain is open: qubits 2 and 0 are not neighbours.",
            ring="The chain is closed into a ring: qubits 2 and 0 are also neighbours.",
        ),
        dimension(
            "order",
            "the order of the two factors",
            "whether the exponential of A or the exponential of B acts on the state first",
            couplings="The exponential of A acts on the state first, then the exponential of B.",
            field="The exponential of B acts on the state first, then the exponential of A.",
        ),
        dimension(
            "spin",
            "the spin operators",
            "whether the components of a spin are the Pauli matrices or half of them",
            pauli="The x and z components of a spin are the Pauli matrices X and Z.",
            half="The x and z components of a spin are X / 2 and Z / 2.",
        ),
        dimension(
            "coupling",
            "the sign of the coupling",
            "whether the products of z components in A are multiplied by +j or by -j",
            plus="A is +j times the sum of the products of the z components of neighbouring spins.",
            minus="A is -j times the sum of the products of the z components of neighbouring spins.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
