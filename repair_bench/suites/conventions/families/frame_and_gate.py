"""A pipeline of two stages: two rotations of one qubit (a change of frame), then a controlled rotation."""

from random import Random

from repair_bench.suites.conventions.circuit import Circuit, p, rx, ry, rz
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension

ANGLES = (0.4, 0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3)


def cases(rng: Random, _: Constants) -> list[tuple[float, float, float]]:
    return list(zip(*(rng.sample(ANGLES, 8) for _ in range(3)), strict=True))


def circuit(choice: Choice, _: Constants, alpha: float, beta: float, gamma: float) -> Circuit:
    sign = 1 if choice["sense"] == "positive" else -1
    frame = [(rz if choice["matrix"] == "rotation" else p)(sign * alpha, 0), ry(sign * beta, 0)]
    if choice["first"] == "y":
        frame.reverse()
    control, target = (0, 1) if choice["control"] == "zero" else (1, 0)
    gate = rx(gamma, target).controlled((control, int(choice["value"] == "one")))
    return Circuit(2, (*frame, gate))


FAMILY = Family(
    name="frame_and_gate",
    title="A change of frame and a controlled rotation",
    entry_point="frame_and_gate",
    parameters="alpha: float, beta: float, gamma: float",
    kind="unitary",
    size=2,
    stages=2,
    category="decomposition",
    concepts=("controlled gates", "rotations"),
    statement="""
Implement a pipeline of two stages on two qubits. Stage 1 changes the frame of qubit 0 by two rotations, whose order is
a convention: a rotation about the z axis by the angle alpha, and a rotation about the y axis by the angle beta. Stage 2
is a controlled rotation: exp(-i gamma X / 2) acts on the target qubit if the control qubit has the required value.
""",
    dimensions=(
        dimension(
            "sense",
            "the sense of the rotations in stage 1",
            "whether the exponents of the rotations in stage 1 are -i angle Y / 2 and -i angle Z / 2, or "
            "+i angle Y / 2 and +i angle Z / 2",
            positive=(
                "Up to a global phase, the rotations of stage 1 about the y and z axes are exp(-i angle Y / 2) and "
                "exp(-i angle Z / 2)."
            ),
            negative=(
                "Up to a global phase, the rotations of stage 1 about the y and z axes are exp(+i angle Y / 2) and "
                "exp(+i angle Z / 2)."
            ),
        ),
        dimension(
            "matrix",
            "the matrix of the rotation about z",
            "whether the rotation about the z axis has determinant 1, or leaves |0> unchanged",
            rotation="The rotation about the z axis has determinant 1.",
            phase="The rotation about the z axis leaves |0> unchanged.",
        ),
        dimension(
            "first",
            "the order of the rotations in stage 1",
            "whether the rotation about the z axis or the one about the y axis is applied first",
            z="In stage 1, the rotation about the z axis is applied first.",
            y="In stage 1, the rotation about the y axis is applied first.",
        ),
        dimension(
            "control",
            "the roles of the qubits in stage 2",
            "whether qubit 0 is the control and qubit 1 the target, or the reverse",
            zero="In stage 2, qubit 0 is the control and qubit 1 the target.",
            one="In stage 2, qubit 1 is the control and qubit 0 the target.",
        ),
        dimension(
            "value",
            "the required value of the control",
            "whether the rotation of stage 2 is applied when the control is 1 or when the control is 0",
            one="The rotation of stage 2 is applied when the control is 1.",
            zero="The rotation of stage 2 is applied when the control is 0.",
        ),
    ),
    cases=cases,
    circuit=circuit,
)
