"""The check for outcome distributions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from repair_bench.executors.program import Observe
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.checks import observation, order
from repair_bench.suites.checks.judge import Case, CaseResult, CircuitCheck
from repair_bench.suites.checks.observation import Distribution, Unreadable
from repair_bench.suites.checks.rules import exact, rule

MAX_OUTCOMES = 64


@dataclass(frozen=True, eq=False, kw_only=True)
class DistributionCheck(CircuitCheck):
    """Compares outcome probabilities in the framework's order, using `rule`.

    `draw`: part of the seed for the random shots of noisy rules. `circuit`: whether the answer must be a circuit. A
    circuit is judged exactly; if samples were judged, the power of the test would depend on the number of shots.
    """

    observe: ClassVar[Observe] = "distribution"
    tolerance: ClassVar[float] = exact.TOLERANCE

    draw: str = ""
    circuit: bool = False

    def compare(self, case: Case, seen: dict[str, Any], framework: str) -> CaseResult:
        """Compare an observation with all correct answers, using the result register if the numbers of bits differ."""
        full = observation.distribution(seen)
        if self.circuit and (full.shots is not None or observation.gates(seen) is None):
            reason = (
                "the function returned counts or samples"
                if full.shots is not None
                else "no circuit was returned or run"
            )
            raise Unreadable(f"{reason}: {FRAMEWORKS[framework].exact_answer}", _shown(full.probabilities, full.shots))
        answers = [order.keys(answer, framework) for answer in (case.expected, *case.also)]
        for got in (full, full.answer(framework)):
            widened = [(answer, got and got.widened(_width(answer))) for answer in answers]
            compatible = [(answer, wide) for answer, wide in widened if wide is not None]
            if compatible:
                return self._closest(compatible, self._seed(case, framework))
        wanted = " or ".join(str(bits) for bits in dict.fromkeys(map(_width, answers)))
        problem = f"expected outcomes of {_bits(wanted)}, got {_bits(str(full.bits))}"
        shown = _shown(full.probabilities, full.shots)
        return CaseResult(problem, expected=_shown(answers[0]), got=shown, mismatch="shape")

    def shown(self, seen: dict[str, Any], framework: str) -> dict[str, Any]:
        whole = observation.distribution(seen)
        got = whole.answer(framework) or whole
        return _shown(got.probabilities, got.shots)

    def _closest(self, pairs: Sequence[tuple[dict[str, float], Distribution]], seed: int) -> CaseResult:
        compared = [(rule(self.rule)(answer, got, seed=seed), answer, got) for answer, got in pairs]
        measured, answer, got = min(compared, key=lambda one: (one[0].problem is not None, one[0].distance["tv"]))
        return CaseResult(measured.problem, measured.distance, _shown(answer), _shown(got.probabilities, got.shots))

    def _seed(self, case: Case, framework: str) -> int:
        text = repr((self.draw, framework, case.args))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _width(probabilities: Mapping[str, float]) -> int:
    return len(next(iter(probabilities)))


def _bits(count: str) -> str:
    return f"{count} bit{'' if count == '1' else 's'}"


def _shown(probabilities: Mapping[str, float], shots: int | None = None) -> dict[str, Any]:
    """Return the most likely outcomes of an observation, sorted by key. `left_out`: the number of outcomes omitted."""
    seen = [x for x in probabilities if probabilities[x] > 1e-9]
    likely = sorted(sorted(seen, key=lambda x: (-probabilities[x], x))[:MAX_OUTCOMES])
    return {
        "bits": _width(probabilities),
        "probabilities": {x: round(probabilities[x], 6) for x in likely},
        "shots": shots,
        "left_out": len(seen) - len(likely),
    }
