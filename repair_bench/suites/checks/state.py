"""The check that compares states up to a global phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from repair_bench.executors.program import Observe
from repair_bench.suites.checks import observation, order
from repair_bench.suites.checks.judge import Case, CaseResult, CircuitCheck
from repair_bench.suites.checks.kets import ket, own_phase
from repair_bench.suites.checks.order import Array
from repair_bench.text import count

TOLERANCE = 1e-6
"""The maximum infidelity. Rounding angles to three digits causes an infidelity of about 1e-7; a wrong sign or a wrong
gate causes at least 1e-2."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StateCheck(CircuitCheck):
    """Accepts a state if the infidelity 1 - |<expected|got>|^2 is at most 1e-6. Evidence: kets, qubit 0 leftmost."""

    observe: ClassVar[Observe] = "state"
    tolerance: ClassVar[float] = TOLERANCE

    def compare(self, case: Case, seen: dict[str, Any], framework: str) -> CaseResult:
        got = order.state(observation.state(seen), framework)
        answers: list[Array] = [case.expected, *case.also]
        compatible = [answer for answer in answers if answer.shape == got.shape]
        if not compatible:
            want, have = (count(len(state).bit_length() - 1, "qubit") for state in (answers[0], got))
            problem = f"expected a state of {want}, got {have}"
            return CaseResult(problem, expected=_shown(answers[0]), got=_shown(got), mismatch="shape")
        answer = min(compatible, key=lambda expected: infidelity(expected, got))
        distance = infidelity(answer, got)
        wrong = f"the state is incorrect (fidelity {1 - distance:.4g})" if distance > self.tolerance else None
        return CaseResult(wrong, {"infidelity": distance}, _shown(answer), _shown(got))

    def shown(self, seen: dict[str, Any], framework: str) -> str:
        return _shown(order.state(observation.state(seen), framework))


def _shown(state: Array) -> str:
    return ket(state * own_phase(state))


def infidelity(expected: Array, got: Array) -> float:
    """Return 1 - |<expected|got>|^2 for two normalised states, in [0, 1]."""
    norms = float(np.linalg.norm(expected) * np.linalg.norm(got))
    return min(1.0, max(0.0, 1.0 - abs(complex(np.vdot(expected, got)) / norms) ** 2))
