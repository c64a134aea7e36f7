"""Solve rates and repair curves, with intervals clustered by problem."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from repair_bench.analysis.rates.censoring import effective_number, shares
from repair_bench.analysis.rates.clusters import Problem, problem_of
from repair_bench.analysis.rates.intervals import Clusters, Interval, rate_interval
from repair_bench.analysis.rates.metrics import Episode, counted

if TYPE_CHECKING:
    import numpy as np


def task(episode: Episode) -> tuple[str, str]:
    return episode.first.suite, episode.first.task_id


def problem(episode: Episode) -> Problem:
    return problem_of(episode.first.suite, episode.first.task_id)


def problem_numbers(episodes: Iterable[Episode]) -> np.ndarray:
    """Return, for each episode, the index of the episode's problem. Problems are numbered from 0 in order of
    appearance.
    """
    import numpy as np

    numbers: dict[Problem, int] = {}
    return np.array([numbers.setdefault(problem(episode), len(numbers)) for episode in episodes], dtype=np.intp)


def weights(episodes: Iterable[Episode]) -> list[int]:
    """Return an integer weight for each episode.

    The total weight is divided equally between tasks. The weight of a task is divided equally between the combinations
    of model, condition and framework. The weight of a combination of model, condition and framework is divided equally
    between the samples.
    """
    cells = [(task(e), (e.first.model, e.first.condition, e.first.framework)) for e in episodes]
    samples = Counter(cells)
    parts = Counter(of for of, _ in samples)
    shares = [parts[cell[0]] * samples[cell] for cell in cells]
    common = math.lcm(*shares)
    return [common // share for share in shares]


def solved_by(episode: Episode, k: int) -> bool:
    """Whether the episode is known to have passed within k repairs."""
    return episode.solved_at is not None and episode.solved_at <= k


def area(episode: Episode, repairs: int) -> int:
    """Return the number of values k in 0..`repairs` for which the episode is known to have passed within k repairs."""
    return sum(solved_by(episode, k) for k in range(repairs + 1))


def solved_shares(members: Sequence[Episode], k: int) -> list[float] | None:
    """Return one value per episode, or None if FB@k is unknown. FB@k is the mean of the values, weighted by `weights`.

    Without censoring, each value is 0 or 1. For values with censoring, see `censoring.shares`.
    """
    values = shares(*_seen(members), k)
    return None if values is None else values.tolist()


def _seen(members: Sequence[Episode]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import numpy as np

    times = [e.unsolved_to if e.solved_at is None else e.solved_at for e in members]
    solved = np.array([e.solved_at is not None for e in members], dtype=bool)
    return np.array(times, dtype=float), solved, np.array(weights(members), dtype=float)


def rate(members: Iterable[Episode], k: int) -> Interval:
    """Return FB@k in 0..1 with its 95% interval, over episodes with a graded first answer. Unknown rates are None."""
    return _rates(members, [k])[0]


def curve_intervals(episodes: Iterable[Episode], repairs: int) -> list[Interval]:
    """Return FB@0..FB@`repairs`, each with its 95% interval."""
    return _rates(episodes, range(repairs + 1))


def rate_clusters(members: Sequence[Episode], k: int) -> tuple[Clusters, float] | None:
    """Return the arguments of `intervals.rate_interval` for FB@k; None if FB@k is unknown."""
    return next(_clusters(members, [k]))


def _clusters(members: Sequence[Episode], ks: Iterable[int]) -> Iterator[tuple[Clusters, float] | None]:
    problems, seen = problem_numbers(members), _seen(members)
    for k in ks:
        values = shares(*seen, k)
        yield None if values is None else (Clusters.numbered(problems, values, seen[2]), effective_number(*seen, k))


def _rates(episodes: Iterable[Episode], ks: Iterable[int]) -> list[Interval]:
    members = counted(episodes, 0)
    unknown = Interval(None, None, None, len(members), len(set(map(problem, members))))
    return [unknown if found is None else rate_interval(found[0], max_n=found[1]) for found in _clusters(members, ks)]
