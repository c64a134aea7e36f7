"""The check of outcome distributions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from repair_bench.executors.program import Observe
from repair_bench.suites.checks import observation, order
from repair_bench.suites.checks.judge import Case, CircuitCheck, Finding
from repair_bench.suites.checks.rules import rule

MOST_OUTCOMES = 64


@dataclass(frozen=True, eq=False, kw_only=True)
class DistributionCheck(CircuitCheck):
    """Compares outcome probabilities in the framework's own order, by the rule of that name.

    `seed`: for the rules that draw shots; with the case it fixes the draw.
    """

    observe: ClassVar[Observe] = "distribution"

    seed: int = 0

    def compare(self, case: Case, seen: dict[str, Any], framework: str) -> Finding:
        """Right when it agrees with the expected answer or with another that is right as well."""
        got = observation.distribution(seen)
        answers = [order.keys(answer, framework) for answer in (case.expected, *case.also)]
        shown = _shown(got.probabilities, got.shots)
        alike = [answer for answer in answers if len(next(iter(answer))) == got.bits]
        if not alike:
            wanted = " or ".join(dict.fromkeys(f"{len(next(iter(answer)))}" for answer in answers))
            problem = f"expected outcomes of {wanted} {_bits(wanted)}, got {got.bits} {_bits(str(got.bits))}"
            return Finding(problem, expected=_shown(answers[0]), got=shown, mismatch="shape")
        compared = [(rule(self.rule)(answer, got, seed=self._draw(case, framework)), answer) for answer in alike]
        measured, answer = min(compared, key=lambda pair: (pair[0].problem is not None, pair[0].distance["tv"]))
        return Finding(measured.problem, measured.distance, _shown(answer), shown)

    def _draw(self, case: Case, framework: str) -> int:
        text = repr((self.seed, framework, case.args))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _bits(count: str) -> str:
    return "bit" if count == "1" else "bits"


def _shown(probabilities: Mapping[str, float], shots: int | None = None) -> dict[str, Any]:
    """The likeliest outcomes, in the order of their keys, as an observation has them; `left_out` counts the rest."""
    seen = [x for x in probabilities if probabilities[x] > 1e-9]
    likely = sorted(sorted(seen, key=lambda x: (-probabilities[x], x))[:MOST_OUTCOMES])
    return {
        "bits": len(next(iter(probabilities))),
        "probabilities": {x: round(probabilities[x], 6) for x in likely},
        "shots": shots,
        "left_out": len(seen) - len(likely),
    }
