"""Compare tool use with feedback at the same budget.

The arm with `tools.python` is compared with the repairing arm without tools. Two comparisons are made: in one, only the
first answers of the arm with tools count; in the other, its repairs count too. The cost of a turn includes all requests
of the turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from repair_bench.analysis.comparing import arms
from repair_bench.analysis.comparing.costs import Unit, running
from repair_bench.analysis.comparing.equal_budget import AtEqualBudget, compared_at, spent_by_shares
from repair_bench.analysis.comparing.pairs import Paired, pair
from repair_bench.analysis.rates.metrics import Episode, group
from repair_bench.traces.run.manifest import Manifest

UNITS: tuple[Unit, ...] = ("tokens", "usd")


@dataclass(frozen=True)
class Tried:
    """An arm with tools compared with the arm without tools at the same budget.

    `repairs`: the maximum number of repairs in the arm with tools. `executions`, `spent`: mean number of tool runs and
    mean cost per episode; `spent` is None if unknown.
    """

    model: str
    suite: str
    arm: str
    baseline: str
    repairs: int
    executions: float
    spent: float | None
    unit: Unit
    equal: AtEqualBudget


def trying(episodes: Iterable[Episode], manifest: Manifest, repairs: int) -> list[Tried]:
    """Compare each arm that has tools with the arm that has none, at a few budgets."""
    stated = manifest.conditions
    found = []
    for (model, suite), members in group(episodes, "model", "suite").items():
        by_arm = group(members, "condition")
        for (arm,), tried in by_arm.items():
            for (baseline,), untooled in by_arm.items():
                settings, others = stated.get(arm, {}), stated.get(baseline, {})
                if arms.differ(others, settings) == ["tools"] and "tools" not in others:
                    paired = pair(untooled, tried)
                    for own, unit, spent, equal in _compared(paired, repairs):
                        ran = sum(a.executions for _, b in paired.pairs for a in b.known[: own + 1]) / len(paired.pairs)
                        found.append(Tried(model, suite, arm, baseline, own, ran, spent, unit, equal))
    return found


def _compared(paired: Paired, repairs: int) -> Iterator[tuple[int, Unit, float | None, AtEqualBudget]]:
    for own in dict.fromkeys((0, repairs)):
        for unit in UNITS:
            spends = [spend[-1] for _, b in paired.pairs if (spend := running(b, unit, own))]
            spent = sum(spends) / len(spends) if 0 < len(spends) == len(paired.pairs) else None
            # budgets: the cost of first answers without repairs, or the costs of both arms with repairs
            setting = paired.pairs if own else tuple((b, b) for _, b in paired.pairs)
            for equal in compared_at(
                paired, unit, (repairs, own), spent_by_shares(Paired(setting, paired.alone), unit, own)
            ):
                if equal.difference.estimate is not None:
                    yield own, unit, spent, equal
