"""Oracles for DistinguishUnitaries: identify the operation that a function applies, including its phase.

Each operation is passed in two forms, for example as one gate with a global phase and as a product of several gates.
"""

from typing import Any, Callable, List

import numpy as np
from qiskit import QuantumCircuit

from repair_bench.suites.oracles.kinds import Function, integer, oracle

Applies = Callable[..., QuantumCircuit]


def applies(steps: str, phase: float = 0.0) -> Applies:
    """Return a function that applies the gates named in `steps`, and adds a global phase."""

    def apply(circuit: QuantumCircuit, qubit: int) -> QuantumCircuit:
        for step in steps.split():
            getattr(circuit, step)(qubit)
        circuit.global_phase += phase
        return circuit

    return apply


def rotates(gate: str, halves: float, angle: Any = None) -> Applies:
    """Return a function that rotates by an angle, fixed or passed in each call, and adds a global phase."""

    def apply(circuit: QuantumCircuit, qubit: int, given: float = 0.0) -> QuantumCircuit:
        turn = given if angle is None else angle
        getattr(circuit, gate)(turn, qubit)
        circuit.global_phase += halves * turn / 2
        return circuit

    return apply


def identifies(ask: Callable[[Applies], Any], operations: List[List[Applies]], max_calls: float = np.inf) -> None:
    """Assert that the candidate always returns the operation's index.

    Also assert that the candidate applies the operation at most `max_calls` times.
    """
    calls = 0

    def counted(operation: Applies) -> Applies:
        def apply(*arguments: Any) -> QuantumCircuit:
            nonlocal calls
            calls += 1
            return operation(*arguments)

        return apply

    for number, forms in enumerate(operations):
        for operation in forms:
            for _ in range(3):
                calls = 0
                assert integer(ask(counted(operation))) == number, (
                    "the returned number belongs to a different operation"
                )
                assert calls <= max_calls, "the candidate applies the operation too often"


Y = [applies("y"), applies("sdg x s")]
XZ = [applies("z x"), applies("y", -np.pi / 2)]
MINUS_Y = [applies("y", np.pi), applies("s x sdg")]
MINUS_XZ = [applies("x z"), applies("y", np.pi / 2)]


@oracle("DistinguishUnitaries/1.5")
def z_or_minus_z(candidate: Function) -> None:
    """Test with -Z in two forms: as Z with a phase, and as XZX."""
    identifies(candidate, [[applies("z"), applies("s s")], [applies("z", np.pi), applies("x z x")]], max_calls=1)


@oracle("DistinguishUnitaries/1.6")
def rz_or_r1(candidate: Function) -> None:
    """Test the candidate with several angles. Each call of the candidate receives the angle as an argument."""
    for angle in (0.3, np.pi / 4, 2.5, -1.2, 7.5):
        identifies(
            lambda operation: candidate(operation, angle),
            [[rotates("rz", 0), rotates("p", -1)], [rotates("p", 0), rotates("rz", 1)]],
            max_calls=1,
        )


@oracle("DistinguishUnitaries/1.7")
def y_or_xz(candidate: Function) -> None:
    """Test with XZ in two forms: as a Z gate followed by an X gate, and as a Y gate with a global phase."""
    identifies(candidate, [Y, XZ], max_calls=2)


@oracle("DistinguishUnitaries/1.8")
def y_or_xz_and_sign(candidate: Function) -> None:
    identifies(candidate, [Y, MINUS_XZ, MINUS_Y, XZ], max_calls=3)


@oracle("DistinguishUnitaries/1.10")
def rz_or_r1_of_a_fixed_angle(candidate: Function) -> None:
    """Test with both ends of the allowed range of angles, and with angles between the ends."""
    for angle in (0.01 * np.pi, 0.3, np.pi / 3, 0.77 * np.pi, 0.99 * np.pi):
        identifies(
            lambda operation: candidate(operation, angle),
            [[rotates("rz", 0, angle), rotates("p", -1, angle)], [rotates("p", 0, angle), rotates("rz", 1, angle)]],
        )
