"""How two outcome distributions are compared, by name. A rule is one file here and one line in `RULES`.

A rule's module has `compare(expected, got, *, seed) -> Measured`: `expected` and `got` in the same order of bits,
`seed` for rules that draw shots.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from repair_bench.suites.checks.distances import Probabilities
from repair_bench.suites.checks.observation import Distribution
from repair_bench.suites.task import SEMANTIC
from repair_bench.traces.faults import UsageError

RULES = {
    "exact": "repair_bench.suites.checks.rules.exact",
    "paper": "repair_bench.suites.checks.rules.paper",
    "released": "repair_bench.suites.checks.rules.released",
    SEMANTIC: "repair_bench.suites.checks.rules.exact",  # of unit tests: only suites with oracles have it
}


@dataclass(frozen=True)
class Measured:
    """What a rule found. `distance`: tv, kl (nats), hellinger. `problem`: why it was not accepted, or None."""

    distance: dict[str, float]
    problem: str | None


class Rule(Protocol):
    """The comparison of one case."""

    def __call__(self, expected: Probabilities, got: Distribution, *, seed: int) -> Measured:
        """Compare what was got with what is expected."""
        ...


def rule(name: str) -> Rule:
    """The rule of that name. Raises UsageError when there is none."""
    if name not in RULES:
        raise UsageError(f"no grading rule is called {name!r}: choose from {', '.join(RULES)}")
    return cast("Rule", import_module(RULES[name]).compare)
