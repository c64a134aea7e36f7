"""Estimate the horizon on tasks with hidden instances, separately for each number of repairs.

A task with hidden instances is a family of problems at one size, and its id is `family-size`. The verdict lists the
cost of the program's solution for each instance. Episodes of all frameworks are pooled, because their instances are the
same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.analysis.rates.curves import task
from repair_bench.analysis.rates.horizon_fit import Estimate, Program, estimate
from repair_bench.analysis.rates.metrics import Episode, counted, group
from repair_bench.traces.record.records import Verdict

_ROUNDING = 1e-9
"""The tolerance added to a computed budget, so that a rounding error does not exclude a solution whose cost equals the
budget."""


@dataclass(frozen=True)
class Family:
    """The episodes of a family. `instances`: the number of hidden instances per task."""

    name: str
    instances: int
    episodes: tuple[Episode, ...]

    @property
    def sizes(self) -> list[int]:
        return sorted({size_of(episode) for episode in self.episodes})


def families(episodes: Iterable[Episode]) -> list[Family]:
    """Return the families of a suite's episodes; an empty list if no verdict lists hidden instances."""
    members = list(episodes)
    counts = [len(_hidden(attempt.verdict)) for episode in members for attempt in episode.known]
    if not any(counts):
        return []
    parts: dict[str, list[Episode]] = {}
    for episode in members:
        parts.setdefault(episode.first.task_id.rpartition("-")[0], []).append(episode)
    return [Family(name, max(counts), tuple(part)) for name, part in sorted(parts.items())]


def by_family(episodes: Iterable[Episode], *fields: str) -> Iterator[tuple[tuple[Any, ...], Family]]:
    """Group episodes by attempt fields and family. `fields` include the suite."""
    for values, members in group(episodes, *fields).items():
        for family in families(members):
            yield values, family


def size_of(episode: Episode) -> int:
    return int(episode.first.task_id.rpartition("-")[2])


def horizon_curve(family: Family, repairs: int, slack: float | None = None) -> list[Estimate]:
    """Return the horizon after up to k repairs, for each k from 0 to `repairs`. `slack`: see `programs`."""
    return [horizon_of(programs(family.episodes, family.instances, k, slack=slack)) for k in range(repairs + 1)]


def horizon_of(found: Sequence[Program]) -> Estimate:
    return estimate(tuple(found)) if found else Estimate(None, None, None)


def programs(
    episodes: Iterable[Episode], instances: int, k: int, arm: int = 0, slack: float | None = None
) -> list[Program]:
    """Return the number of hidden instances that the last answer of each episode solves.

    `k`: the maximum number of repairs; answers after more repairs are ignored. Episodes whose outcome within `k`
    repairs is unknown are excluded.

    `instances`: the number of hidden instances per task; an answer without a program solves none of them. `slack`: the
    budget divided by the cost of the hidden circuit; if None, the budgets of the suite apply. An episode ends as soon
    as an answer meets the budgets of the suite. If `slack` is less than the suite's slack, an episode can end before an
    answer meets the smaller budgets that `slack` implies. The horizon after one or more repairs is then only a lower
    bound, because further repairs might have met the smaller budgets.
    """
    return [
        Program(size_of(episode), _solved(episode, k, slack), instances, task(episode), arm)
        for episode in counted(episodes, k)
    ]


def _solved(episode: Episode, k: int, slack: float | None) -> int:
    # a full context window leaves the last answer in place
    answers = [attempt for attempt in episode.known[: k + 1] if not attempt.filled_context]
    return sum(_within(one, slack) for one in _hidden(answers[-1].verdict)) if answers else 0


def _within(instance: dict[str, Any], slack: float | None) -> bool:
    budget = instance["budget"] if slack is None else slack * instance["planted"] + _ROUNDING
    return instance["cost"] is not None and instance["cost"] <= budget


def _hidden(verdict: Verdict | None) -> list[dict[str, Any]]:
    """Return the results for hidden instances; an empty list if the verdict lists none."""
    return [] if verdict is None else [one for one in verdict.evidence.get("instances") or () if one["hidden"]]
