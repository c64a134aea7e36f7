"""A rotation by a multiple of a fixed angle, controlled by another qubit."""

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
    # for half turns, integer multiples in the exponent reveal neither sign nor axis
    return [(1,), (constants["steps"],), (-rng.choice((2, 3, 4)),)]


FAMILY = Family(
    name="controlled_rotation",
    title="Controlled rotation by a multiple of an angle",
    entry_point="turn",
    parameters="k: int",
    kind="unitary",
    size=2,
    category="decomposition",
    concepts=("rotations", "control"),
    statement="""
Our calibration rotates one of two qubits in steps of pi / {steps}, with the other qubit as the control. Implement the
rotation by k steps: its angle is theta = k pi / {steps}, and its generator is a Pauli matrix P. A negative k rotates
in the opposite direction.
""",
    dimensions=(
        dimension(
            "angle",
            "the size of the exponent of the rotation",
            "whether P is multiplied by theta / 2 or by theta in the exponent of the rotation",
            half="In the exponent of the rotation, P is multiplied by theta / 2.",
            whole="In the exponent of the rotation, P is multiplied by theta, not theta / 2.",
        ),
        dimension(
            "control",
            "the control qubit",
            "whether qubit 0 is the control and qubit 1 the target, or qubit 1 is the control and qubit 0 the target",
            first="Qubit 0 is the control, and qubit 1 is the target.",
            second="Qubit 1 is the control, and qubit 0 is the target.",
        ),
        dimension(
            "sign",
            "the sign of the exponent",
            "whether, for positive k, the exponent is -i or +i times a positive angle times P",
            minus="For positive k, the exponent of the rotation is -i times a positive angle times P.",
            plus="For positive k, the exponent of the rotation is +i times a positive angle times P.",
        ),
        dimension(
            "value",
            "the control value",
            "whether the rotation is applied when the control is 1 or when it is 0",
            one="The rotation is applied when the control is 1; nothing changes when it is 0.",
            zero="The rotation is applied when the control is 0; nothing changes when it is 1.",
        ),
        dimension(
            "axis",
            "the rotation axis",
            "whether P is the Pauli matrix X, Y or Z",
            x="P is the Pauli matrix X.",
            y="P is the Pauli matrix Y.",
            z="P is the Pauli matrix Z.",
        ),
    ),
    constants=lambda rng: {"steps": rng.choice((5, 6, 7, 8, 9, 10, 12))},
    cases=cases,
    circuit=circuit,
)
