"""Pass@k of first answers, with intervals clustered by problem."""

from __future__ import annotations

from collections.abc import Iterable

from repair_bench.analysis.rates.curves import problem, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, kish, rate_interval
from repair_bench.analysis.rates.metrics import Episode, counted, group, pass_at_k

KS = (1, 5, 10)
"""The values of k for which Pass@k is printed if there are at least k samples."""


def fewest_samples(episodes: Iterable[Episode]) -> int:
    """Return the smallest number of graded first answers for any task, model, condition and framework."""
    return min(map(len, _tasks(episodes)), default=0)


def pass_at_k_interval(episodes: Iterable[Episode], k: int) -> Interval:
    """Return the mean of Pass@k over tasks, weighted by `weights`, with its 95% interval. Pass@1 is FB@0.

    Tasks with fewer than `k` graded first answers are excluded.
    """
    tasks = [members for members in _tasks(episodes) if len(members) >= k]
    members = [episode for task in tasks for episode in task]
    solved = [pass_at_k(len(task), sum(e.first.passed for e in task), k) for task in tasks for _ in task]
    weight = weights(members)
    clusters = Clusters.of(zip(map(problem, members), solved, strict=True), weight)
    return rate_interval(clusters, max_n=kish(weight))


def _tasks(episodes: Iterable[Episode]) -> list[list[Episode]]:
    fields = ("model", "condition", "suite", "task_id", "framework")
    return list(group(counted(episodes, 0), *fields).values())
