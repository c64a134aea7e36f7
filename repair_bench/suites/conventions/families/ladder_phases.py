"""A pipeline of two stages: a ladder of CNOT gates, then a phase on each qubit."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, cx, p, rz
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

QUBITS = 3
ANGLES = (0.3, 0.5, 0.8, 1.0, 1.2, 1.5)


def cases(rng: Random, _: Constants) -> list[tuple[list[float]]]:
    made: set[tuple[float, ...]] = set()
    while len(made) < 8:
        made.add(tuple(rng.sample(ANGLES, QUBITS)))
    return [(list(angles),) for angles in sorted(made)]


def circuit(choice: Choice, _: Constants, angles: list[float]) -> Circuit:
    pairs = [(0, 1), (1, 2)] if choice["start"] == "first" else [(1, 2), (0, 1)]
    ladder = [cx(one, other) if choice["control"] == "lower" else cx(other, one) for one, other in pairs]
    turn = p if choice["matrix"] == "phase" else rz
    sign = 1 if choice["sign"] == "plus" else -1
    ordered = angles if choice["list"] == "up" else angles[::-1]
    return Circuit(QUBITS, (*ladder, *(turn(sign * angle, qubit) for qubit, angle in enumerate(ordered))))


FAMILY = Family(
    name="ladder_phases",
    title="A ladder of CNOT gates and phases",
    entry_point="ladder_and_phases",
    parameters="angles: list[float]",
    kind="unitary",
    size=QUBITS,
    stages=2,
    category="decomposition",
    concepts=("controlled gates", "phase"),
    statement="""
Implement a pipeline of two stages on three qubits. Stage 1 is a ladder of two CNOT gates, one between qubits 0 and 1
and one between qubits 1 and 2. Stage 2 rotates each qubit about the z axis: one of the three angles is added to the
phase of |1> relative to |0>, or subtracted from it.
""",
    dimensions=(
        dimension(
            "control",
            "the controls of the CNOT gates",
            "whether the control of each CNOT gate is the qubit with the lower or with the higher number",
            lower="The control of each CNOT gate is the qubit with the lower number.",
            higher="The control of each CNOT gate is the qubit with the higher number.",
        ),
        dimension(
            "start",
            "the order of the CNOT gates",
            "whether the CNOT gate on qubits 0 and 1 or the one on qubits 1 and 2 is applied first",
            first="The CNOT gate on qubits 0 and 1 is applied first.",
            last="The CNOT gate on qubits 1 and 2 is applied first.",
        ),
        dimension(
            "list",
            "the order of the angles",
            "whether the first angle belongs to qubit 0 and the last to qubit 2, or the reverse",
            up="The first angle belongs to qubit 0 and the last to qubit 2.",
            down="The first angle belongs to qubit 2 and the last to qubit 0.",
        ),
        dimension(
            "matrix",
            "the matrix of each rotation in stage 2",
            "whether each rotation in stage 2 leaves |0> unchanged or has a matrix with determinant 1",
            phase="Each rotation in stage 2 leaves |0> unchanged.",
            rotation="Each rotation in stage 2 has a matrix with determinant 1.",
        ),
        dimension(
            "sign",
            "the sign of the phases",
            "whether the phase of |1> increases or decreases by the angle",
            plus="The phase of |1> increases by the angle.",
            minus="The phase of |1> decreases by the angle.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
