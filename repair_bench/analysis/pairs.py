"""Two sets of episodes paired by task and sample: differences with intervals, tasks won and lost, McNemar's test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from repair_bench.analysis.curves import problem, solved_by
from repair_bench.analysis.intervals import Clusters, Interval, mean_interval
from repair_bench.analysis.metrics import Episode
from repair_bench.analysis.statistics import mcnemar

ARMS = ("model", "suite", "task_id", "framework", "sample")
"""What two arms or conditions of a model have in common."""

Pair = tuple[Episode, Episode]


@dataclass(frozen=True)
class Paired:
    """Episodes of a baseline and of what is compared with it, both counted. `alone`: episodes without a partner."""

    pairs: tuple[Pair, ...]
    alone: int

    @property
    def shared(self) -> bool:
        """Whether both of every pair start from the same recorded first answer."""
        return all(a.first.id == b.first.id for a, b in self.pairs)


def pair(baseline: Iterable[Episode], other: Iterable[Episode], repairs: int, by: tuple[str, ...] = ARMS) -> Paired:
    """Pair counted episodes that agree in the fields `by`; an episode whose partner does not count is left out too.

    `repairs`: N, the number of repair attempts of both. Raises ValueError when two episodes of one side agree.
    """
    first, second = _keyed(baseline, by), _keyed(other, by)
    both = [
        (first[key], second[key])
        for key in first
        if key in second and first[key].state(repairs) == second[key].state(repairs) == "counted"
    ]
    return Paired(tuple(both), len(first) + len(second) - 2 * len(both))


def difference(paired: Paired, k: int) -> Interval:
    """FB@k of the others minus FB@k of the baseline, in -1..1, with its 95% interval over problems.

    The pairs differ by -1, 0 or 1 each (see `intervals.mean_interval`). At k = 0 it is exactly 0 when the first answers
    are shared.
    """
    interval = mean_difference(paired, lambda e: float(solved_by(e, k)))
    same = all(solved_by(a, k) == solved_by(b, k) for a, b in paired.pairs)  # not so where one side was regraded
    if k == 0 and paired.pairs and paired.shared and same:
        return Interval(0.0, 0.0, 0.0, interval.n, interval.problems)
    return interval


def mean_difference(paired: Paired, value: Callable[[Episode], float]) -> Interval:
    """The mean over pairs of `value` of the other minus `value` of the baseline; `value` in 0..1."""
    return mean_interval(Clusters.of((problem(a), value(b) - value(a)) for a, b in paired.pairs))


@dataclass(frozen=True)
class WonLost:
    """Pairs that only the other solved, and pairs that only the baseline solved, in the order they were given."""

    won: tuple[Pair, ...]
    lost: tuple[Pair, ...]

    @property
    def p_value(self) -> float:
        """McNemar's exact test, two-sided. It takes pairs as independent, which twins and samples are not."""
        return mcnemar(len(self.won), len(self.lost))


def won_lost(paired: Paired, k: int) -> WonLost:
    """The pairs whose two episodes differ in being solved within `k` repairs."""
    changed = [(p, solved_by(p[1], k)) for p in paired.pairs if solved_by(p[0], k) != solved_by(p[1], k)]
    return WonLost(tuple(p for p, won in changed if won), tuple(p for p, won in changed if not won))


def _keyed(episodes: Iterable[Episode], by: tuple[str, ...]) -> dict[tuple[object, ...], Episode]:
    keyed: dict[tuple[object, ...], Episode] = {}
    for episode in episodes:
        key = tuple(getattr(episode.first, name) for name in by)
        if key in keyed:
            raise ValueError(f"two episodes to be paired have the same {', '.join(by)}: {key}; group them first")
        keyed[key] = episode
    return keyed
