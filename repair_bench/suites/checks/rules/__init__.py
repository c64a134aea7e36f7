"""The rules that compare two outcome distributions.

A rule is a function that takes two distributions, `expected` and `got`, whose bits are in the same order. A rule may
use the argument `seed` to draw random shots.
"""

from __future__ import annotations

from typing import Protocol

from repair_bench.suites.checks.distances import Measured, Probabilities
from repair_bench.suites.checks.observation import Distribution
from repair_bench.suites.checks.rules import exact, quanbench_plus
from repair_bench.suites.task import SEMANTIC
from repair_bench.traces.faults import UsageError


class Rule(Protocol):
    def __call__(self, expected: Probabilities, got: Distribution, *, seed: int) -> Measured:
        """Compare a case."""
        ...


RULES: dict[str, Rule] = {
    "exact": exact.compare,
    "paper": quanbench_plus.paper,
    "released": quanbench_plus.released,
    SEMANTIC: exact.compare,  # for unit tests: only suites with oracles allow it
}


def rule(name: str) -> Rule:
    """Return the rule with this name. Raises UsageError for an unknown name."""
    if name not in RULES:
        raise UsageError(f"no grading rule is called {name!r}: choose from {', '.join(RULES)}")
    return RULES[name]
