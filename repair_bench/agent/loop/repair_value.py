"""What another attempt is worth: the chance that it solves its task, a dollar (or a token) that it costs.

All of it is learned in the run, from the attempts of one model under one condition. A repair's chance goes by how many
repairs were made before it, the class of the last failure, and whether the failure before was of the same class; each
finer group is drawn towards the coarser one as if it held `PSEUDO_COUNT` attempts of that rate, and the coarsest
towards 1/2. A new sample's chance goes by its task, drawn in the same way towards the rate of all first answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from statistics import fmean as mean

from repair_bench.analysis.comparing.costs import Unit, spent
from repair_bench.analysis.taxonomy.coarse import error_class
from repair_bench.traces.record.lazy_attempt import Recorded, TaskKey, task_key

PSEUDO_COUNT = 2.0
"""Attempts that a coarser group counts for."""
UNITS: tuple[Unit, ...] = ("usd", "tokens", "calls")
"""What may be spent, the best first: the first of them that all attempts say."""


class _Rate:
    """Successes among tries."""

    def __init__(self) -> None:
        self.tries = self.successes = 0

    def add(self, *, success: bool) -> None:
        self.tries += 1
        self.successes += success

    def shrunk_towards(self, coarser: float) -> float:
        return (self.successes + PSEUDO_COUNT * coarser) / (self.tries + PSEUDO_COUNT)


class RepairValueModel:
    """What is learned of one model under one condition."""

    def __init__(self, paths: Iterable[Sequence[Recorded]]) -> None:
        """`paths`: the attempts of each episode that have a verdict, in their order."""
        self._repairs: defaultdict[Hashable, _Rate] = defaultdict(_Rate)
        self._samples: defaultdict[TaskKey | None, _Rate] = defaultdict(_Rate)
        by_number: defaultdict[int, list[Recorded]] = defaultdict(list)
        for path in paths:
            for number, attempt in enumerate(path):
                by_number[number].append(attempt)
                self._learn(attempt, path[:number])
        costs = {unit: [[spent(a, unit) for a in by_number[n]] for n in sorted(by_number)] for unit in UNITS}
        self.unit: Unit = next((unit for unit in UNITS if _is_known(costs[unit])), "calls")
        """What the cost is counted in."""
        self._costs = [mean(cost for cost in listed if cost is not None) for listed in costs[self.unit]]

    def _learn(self, attempt: Recorded, before: Sequence[Recorded]) -> None:
        if not before:
            for key in (None, task_key(attempt)):
                self._samples[key].add(success=attempt.passed)
        else:
            for group in _groups(before):
                self._repairs[group].add(success=attempt.passed)

    def of_repair(self, failed: Sequence[Recorded]) -> float:
        """Of the next repair of an episode with these attempts, all of them failed."""
        chance = 0.5
        for group in _groups(failed):
            chance = self._repairs[group].shrunk_towards(chance)
        return chance / self._cost(len(failed))

    def of_sample(self, task: TaskKey) -> float:
        """Of a new sample of a task."""
        return self._samples[task].shrunk_towards(self._samples[None].shrunk_towards(0.5)) / self._cost(0)

    def _cost(self, number: int) -> float:
        """The mean cost of attempts of that number; where none was made, of those of the number before."""
        return next((cost for cost in reversed(self._costs[: number + 1]) if cost), 1.0)


def _is_known(costs: Iterable[Sequence[float | None]]) -> bool:
    """Whether all attempts say what they cost, and some cost anything."""
    listed = [cost for of_number in costs for cost in of_number]
    return None not in listed and any(listed)


def _groups(failed: Sequence[Recorded]) -> list[Hashable]:
    """The groups that the repair of these failures is in, the coarsest first."""
    classes = [error_class(attempt.verdict) for attempt in failed[-2:] if attempt.verdict is not None]
    last, again = classes[-1], len(classes) > 1 and classes[0] == classes[1]
    return [(), (len(failed),), (len(failed), last), (len(failed), last, again)]
