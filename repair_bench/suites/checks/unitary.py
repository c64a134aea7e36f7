"""The check that compares a circuit's unitary with the expected unitary and ignores the global phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from repair_bench.executors.program import Observe
from repair_bench.suites.checks import observation, order
from repair_bench.suites.checks.judge import Case, CaseResult, CircuitCheck
from repair_bench.suites.checks.kets import basis, ket, own_phase
from repair_bench.suites.checks.order import Array
from repair_bench.suites.checks.state import infidelity

TOLERANCE = 1e-6
"""The maximum process infidelity; rounding angles to three digits causes an infidelity of about 1e-7."""


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitaryCheck(CircuitCheck):
    """Accepts a circuit whose process fidelity with the expected unitary is at least 1 - 1e-6.

    The evidence shows the first basis state that the circuit maps incorrectly, with the expected output and the
    circuit's output. All states are written as kets, with qubit 0 leftmost.
    """

    observe: ClassVar[Observe] = "unitary"
    tolerance: ClassVar[float] = TOLERANCE

    def compare(self, case: Case, seen: dict[str, Any], framework: str) -> CaseResult:
        got = order.unitary(observation.unitary(seen), framework)
        answers: list[Array] = [case.expected, *case.also]
        compatible = [answer for answer in answers if answer.shape == got.shape]
        if not compatible:
            want, have = (len(matrix).bit_length() - 1 for matrix in (answers[0], got))
            return CaseResult(f"expected a circuit on {want} qubits, got a circuit on {have}", mismatch="shape")
        answer = max(compatible, key=lambda expected: process_fidelity(expected, got))
        fidelity = process_fidelity(answer, got)
        distance = {"infidelity": 1.0 - fidelity}
        if fidelity >= 1 - self.tolerance:
            return CaseResult(distance=distance)
        error, expected, wrong = _difference(answer, got)
        problem = f"the circuit does not implement the required operation: {error} (process fidelity {fidelity:.4g})"
        return CaseResult(problem, distance, expected, wrong)

    def shown(self, seen: dict[str, Any], framework: str) -> str:
        """Return the output for each basis state."""
        matrix = order.unitary(observation.unitary(seen), framework)
        matrix = matrix * own_phase(matrix[:, 0])
        qubits = len(matrix).bit_length() - 1
        return "\n".join(f"{basis(j, qubits)} -> {ket(matrix[:, j])}" for j in range(len(matrix)))


def process_fidelity(u: Array, v: Array) -> float:
    """Return |tr(U^dagger V)|^2 / d^2 for two d x d unitaries, in [0, 1]; a global phase has no effect.

    Nielsen, Phys. Lett. A 303, 249 (2002); appendix F of QuanBench+.
    """
    return min(1.0, abs(complex(np.vdot(u, v))) ** 2 / len(u) ** 2)


def _difference(expected: Array, got: Array) -> tuple[str, str, str]:
    qubits = len(expected).bit_length() - 1
    wrong = [infidelity(expected[:, j], got[:, j]) for j in range(len(expected))]
    for j, distance in enumerate(wrong):
        if distance > TOLERANCE:
            right, output = (ket(u[:, j] * own_phase(u[:, j])) for u in (expected, got))
            name = basis(j, qubits)
            return f"its output for {name} is incorrect", f"{name} -> {right}", f"{name} -> {output}"
    # only the relative phases are incorrect
    phases = np.einsum("ij,ij->j", expected.conj(), got)
    deviation = np.abs(phases - phases[0])
    j = int(np.argmax(deviation > deviation.max() - TOLERANCE))  # the first of the largest, also with rounding errors
    name = basis(j, qubits)
    right, output = (ket(u[:, j] * own_phase(u[:, 0])) for u in (expected, got))
    error = f"its output for {name} has an incorrect phase relative to that for {basis(0, qubits)}"
    return error, f"{name} -> {right}", f"{name} -> {output}"
