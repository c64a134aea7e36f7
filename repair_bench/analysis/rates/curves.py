"""Rates of solved episodes and repair curves, with intervals over problems."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from repair_bench.analysis.rates.censoring import shares, worth
from repair_bench.analysis.rates.clusters import Problem, problem_of
from repair_bench.analysis.rates.intervals import Clusters, Interval, rate_interval
from repair_bench.analysis.rates.metrics import Episode, counted

if TYPE_CHECKING:
    import numpy as np


def task(episode: Episode) -> tuple[str, str]:
    """The suite and task id of an episode, whatever the framework and the sample."""
    return episode.first.suite, episode.first.task_id


def problem(episode: Episode) -> Problem:
    """Return the cluster of an episode (`clusters.problem_of`)."""
    return problem_of(episode.first.suite, episode.first.task_id)


def problem_numbers(episodes: Iterable[Episode]) -> np.ndarray:
    """The clusters of episodes, numbered from 0 as they first appear."""
    import numpy as np

    numbers: dict[Problem, int] = {}
    return np.array([numbers.setdefault(problem(episode), len(numbers)) for episode in episodes], dtype=np.intp)


def weights(episodes: Iterable[Episode]) -> list[int]:
    """The weight of each episode in every rate: tasks weigh the same, however many samples were judged of each.

    In a task its models, conditions and frameworks weigh the same, and in these their samples. The smallest whole
    numbers in this proportion: 1 for each episode where all tasks have equally many.
    """
    cells = [(task(e), (e.first.model, e.first.condition, e.first.framework)) for e in episodes]
    samples = Counter(cells)
    parts = Counter(of for of, _ in samples)
    shares = [parts[cell[0]] * samples[cell] for cell in cells]
    common = math.lcm(*shares)
    return [common // share for share in shares]


def solved_by(episode: Episode, k: int) -> bool:
    """Whether it is known to have passed at an attempt <= k."""
    return episode.solved_at is not None and episode.solved_at <= k


def area(episode: Episode, repairs: int) -> int:
    """The area under the episode's own repair curve: how many of FB@0..FB@`repairs` it counts as solved for."""
    return sum(solved_by(episode, k) for k in range(repairs + 1))


def solved_shares(members: Sequence[Episode], k: int) -> list[float] | None:
    """One value per episode, 1 or 0 for solved within `k` repairs or not; their mean with `weights` is FB@k.

    The first answer of each was judged. Where some were cut short see `censoring.shares`; None when FB@k is unknown.
    """
    values = shares(*_seen(members), k)
    return None if values is None else values.tolist()


def _seen(members: Sequence[Episode]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The attempt at which each was solved or last seen, which of the two, and its weight (see `censoring`)."""
    import numpy as np

    times = [e.unsolved_to if e.solved_at is None else e.solved_at for e in members]
    solved = np.array([e.solved_at is not None for e in members], dtype=bool)
    return np.array(times, dtype=float), solved, np.array(weights(members), dtype=float)


def rate(members: Iterable[Episode], k: int) -> Interval:
    """FB@k in 0..1 of the episodes whose first answer was judged, with its 95% interval (`intervals.rate_interval`).

    The estimate is None when no episode was seen that far.
    """
    return _rates(members, [k])[0]


def curve_intervals(episodes: Iterable[Episode], repairs: int) -> list[Interval]:
    """The points FB@0..FB@`repairs`, each with its own 95% interval; all empty without episodes."""
    return _rates(episodes, range(repairs + 1))


def rate_clusters(members: Sequence[Episode], k: int) -> tuple[Clusters, float] | None:
    """FB@k of episodes whose first answers were judged, by problem as these first appear, and what it is worth.

    The two arguments of `intervals.rate_interval`; None when FB@k is unknown.
    """
    return next(_clusters(members, [k]))


def _clusters(members: Sequence[Episode], ks: Iterable[int]) -> Iterator[tuple[Clusters, float] | None]:
    problems, seen = problem_numbers(members), _seen(members)
    for k in ks:
        values = shares(*seen, k)
        yield None if values is None else (Clusters.numbered(problems, values, seen[2]), worth(*seen, k))


def _rates(episodes: Iterable[Episode], ks: Iterable[int]) -> list[Interval]:
    members = counted(episodes, 0)
    unknown = Interval(None, None, None, len(members), len(set(map(problem, members))))
    return [unknown if found is None else rate_interval(found[0], most=found[1]) for found in _clusters(members, ks)]
