"""Estimate the horizon on tasks with hidden instances, separately for each number of repairs.

A task with hidden instances is a family of problems at one size, and its id is `family-size`. The verdict lists the
cost of the program's solution for each instance. Episodes of all frameworks are pooled, because their instances are the
same.
"""

from __future__ import annotations

import math
from collections import Counter
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


def by_family(episodes: Iterable[Episode], *fields: str) -> Iterator[tuple[tuple[Any, ...], Family]]:
    """Group episodes by attempt fields and family, without the suites whose verdicts list no hidden instances.

    `fields` include the suite.
    """
    members = list(episodes)
    instances: Counter[str] = Counter()  # from all groups, because a group may not contain any program
    for episode in members:
        found = max((len(_hidden(attempt.verdict)) for attempt in episode.known), default=0)
        instances[episode.first.suite] = max(instances[episode.first.suite], found)
    for values, part in group((e for e in members if instances[e.first.suite]), *fields).items():
        families: dict[str, list[Episode]] = {}
        for episode in part:
            families.setdefault(episode.first.task_id.rpartition("-")[0], []).append(episode)
        for name, own in sorted(families.items()):
            yield values, Family(name, instances[own[0].first.suite], tuple(own))


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
    repairs is unknown are excluded. An episode that ended earlier could not be censored at the repairs that it did not
    need. Its weight is the estimated probability that these repairs would have been observed. Without the weights, the
    solved episodes would be overrepresented.

    `instances`: the number of hidden instances per task; an answer without a program solves none of them. `slack`: the
    budget divided by the cost of the hidden circuit; if None, the budgets of the suite apply. An episode ends as soon
    as an answer meets the budgets of the suite. If `slack` is less than the suite's slack, an episode can end before an
    answer meets the smaller budgets that `slack` implies. The horizon after one or more repairs is then only a lower
    bound, because further repairs might have met the smaller budgets.
    """
    members = counted(episodes, 0)
    observed = _observed(members, k)
    return [
        Program(size_of(episode), _solved(episode, k, slack), instances, task(episode), arm, weight)
        for episode in counted(members, k)
        if (weight := math.prod(observed[len(episode.known) :]))
    ]


def _observed(episodes: Sequence[Episode], k: int) -> list[float]:
    """Return one value per attempt from 0 to `k`: the share of the episodes that are known up to this attempt, among
    the episodes that are known up to the attempt before and did not end there.
    """
    shares = [1.0]
    for attempt in range(1, k + 1):
        known = sum(len(e.known) > attempt for e in episodes)
        censored = sum(len(e.known) == attempt and e.state(attempt) != "counted" for e in episodes)
        shares.append(known / (known + censored) if censored else 1.0)
    return shares


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
