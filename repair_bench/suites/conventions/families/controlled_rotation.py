"""A rotation by a number of steps, controlled by another qubit."""

import math
from random import Random

from repair_bench.suites.conventions.circuit import Circuit, Gate
from repair_bench.suites.conventions.family import Choice, Constants, Family, dimension


def circuit(choice: Choice, constants: Constants, k: int) -> Circuit:
    control, target = (0, 1) if choice["control"] == "first" else (1, 0)
    angle = k * math.pi / constants["steps"]
    if choice["angle"] == "whole":
        angle *= 2
    if choice["sign"] == "plus":
        angle = -angle
    turn = Gate(f"r{choice['axis']}", (target,), angle)
    return Circuit(2, (turn.controlled((control, 1 if choice["value"] == "one" else 0)),))


def cases(rng: Random, constants: Constants) -> list[tuple[int]]:
    # with a half turn, integer angles in the exponent reveal neither its sign nor its axis
    return [(1,), (constants["steps"],), (-rng.choice((2, 3, 4)),)]


FAMILY = Family(
    name="controlled_rotation",
    title="Controlled rotation by k steps",
    entry_point="turn",
    parameters="k: int",
    kind="unitary",
    size=2,
    category="decomposition",
    concepts=("rotations", "control"),
    statement="""
Our calibration turns one of two qubits in steps, under the control of the other: turn(k) is the rotation by
theta = k pi / {steps} that a Pauli matrix P generates. A negative k goes back.
""",
    dimensions=(
        dimension(
            "angle",
            "the angle in the exponent of a rotation",
            "whether theta / 2 or theta itself multiplies P in the exponent of the rotation",
            half="In the exponent of a rotation, theta / 2 multiplies P.",
            whole="In the exponent of a rotation, theta itself multiplies P, not theta / 2.",
        ),
        dimension(
            "control",
            "which qubit controls",
            "whether qubit 0 controls and qubit 1 is turned, or qubit 1 controls and qubit 0 is turned",
            first="Qubit 0 controls, and qubit 1 is turned.",
            second="Qubit 1 controls, and qubit 0 is turned.",
        ),
        dimension(
            "sign",
            "the sign of the exponent",
            "whether for positive k the exponent is -i or +i times a positive angle times P",
            minus="For positive k the exponent of the rotation is -i times a positive angle times P.",
            plus="For positive k the exponent of the rotation is +i times a positive angle times P.",
        ),
        dimension(
            "value",
            "the value of the control",
            "whether the rotation happens when the control is 1 or when it is 0",
            one="The rotation happens when the control is 1, and nothing happens when it is 0.",
            zero="The rotation happens when the control is 0, and nothing happens when it is 1.",
        ),
        dimension(
            "axis",
            "the axis of the rotation",
            "whether P is Pauli's X, Y or Z",
            x="P is Pauli's X.",
            y="P is Pauli's Y.",
            z="P is Pauli's Z.",
        ),
    ),
    constants=lambda rng: {"steps": rng.choice((5, 6, 7, 8, 9, 10, 12))},
    cases=cases,
    circuit=circuit,
)
