"""Estimate the value of another attempt: the probability that the attempt solves its task, divided by its cost.

The probabilities are estimated during the run, from the attempts of one model under one condition. The probability that
a repair succeeds depends on three features: the number of earlier repairs, the class of the last failure, and whether
the failure before it had the same class. Each repair belongs to four nested groups: all repairs, the repairs with the
same first feature, those with the same first two features, and those with the same three features. The estimate for a
group is a weighted mean of the group's success rate and the estimate for the next larger group. The success rate has
the weight of the attempts in the group; the other estimate has the weight of `PSEUDO_COUNT` attempts. For the largest
group, the value 1/2 takes the place of the other estimate. The probability that a new sample is correct is estimated
with the same formula from two nested groups: all first answers, and the first answers to the task of the sample.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from statistics import fmean as mean

from repair_bench.analysis.comparing.costs import Unit, spent
from repair_bench.analysis.taxonomy.coarse import error_class
from repair_bench.traces.record.lazy_attempt import Recorded, TaskKey, task_key

PSEUDO_COUNT = 2.0
"""The weight, in attempts, of the estimate for the next larger group. The estimate for a group is the weighted mean of
this estimate and the group's success rate."""
UNITS: tuple[Unit, ...] = ("usd", "tokens", "calls")
"""Cost units in order of preference. Costs are measured in the first unit for which the costs of all attempts are
known."""


class _Rate:
    def __init__(self) -> None:
        self.tries = self.successes = 0

    def add(self, *, success: bool) -> None:
        self.tries += 1
        self.successes += success

    def shrunk_towards(self, coarser: float) -> float:
        return (self.successes + PSEUDO_COUNT * coarser) / (self.tries + PSEUDO_COUNT)


class RepairValueModel:
    """The rates and costs of one model under one condition. `paths`: for each episode, the judged attempts in order."""

    def __init__(self, paths: Iterable[Sequence[Recorded]]) -> None:
        self._repairs: defaultdict[Hashable, _Rate] = defaultdict(_Rate)
        self._samples: defaultdict[TaskKey | None, _Rate] = defaultdict(_Rate)
        by_number: defaultdict[int, list[Recorded]] = defaultdict(list)
        for path in paths:
            for number, attempt in enumerate(path):
                by_number[number].append(attempt)
                self._learn(attempt, path[:number])
        costs = {unit: [[spent(a, unit) for a in by_number[n]] for n in sorted(by_number)] for unit in UNITS}
        self.unit: Unit = next((unit for unit in UNITS if _is_known(costs[unit])), "calls")
        self._costs = [mean(cost for cost in listed if cost is not None) for listed in costs[self.unit]]

    def _learn(self, attempt: Recorded, before: Sequence[Recorded]) -> None:
        if not before:
            for key in (None, task_key(attempt)):
                self._samples[key].add(success=attempt.passed)
        else:
            for group in _groups(before):
                self._repairs[group].add(success=attempt.passed)

    def of_repair(self, failed: Sequence[Recorded]) -> float:
        """Return the estimated probability that an episode's next repair succeeds, divided by the cost of the repair.

        `failed`: the attempts of the episode, which have all failed.
        """
        probability = 0.5
        for group in _groups(failed):
            probability = self._repairs[group].shrunk_towards(probability)
        return probability / self._cost(len(failed))

    def of_sample(self, task: TaskKey) -> float:
        """Return the estimated probability that a new first answer to a task is correct, divided by its cost."""
        return self._samples[task].shrunk_towards(self._samples[None].shrunk_towards(0.5)) / self._cost(0)

    def _cost(self, number: int) -> float:
        """Return the mean cost of attempt `number`.

        If no episode has made this attempt, return the mean cost of the closest earlier attempt.
        """
        return next((cost for cost in reversed(self._costs[: number + 1]) if cost), 1.0)


def _is_known(costs: Iterable[Sequence[float | None]]) -> bool:
    listed = [cost for of_number in costs for cost in of_number]
    return None not in listed and any(listed)


def _groups(failed: Sequence[Recorded]) -> list[Hashable]:
    classes = [error_class(attempt.verdict) for attempt in failed[-2:] if attempt.verdict is not None]
    last, again = classes[-1], len(classes) > 1 and classes[0] == classes[1]
    return [(), (len(failed),), (len(failed), last), (len(failed), last, again)]
