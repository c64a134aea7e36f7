"""Pass@k of first answers, with intervals over problems."""

from __future__ import annotations

from collections.abc import Iterable

from repair_bench.analysis.rates.curves import problem, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, kish, rate_interval
from repair_bench.analysis.rates.metrics import Episode, counted, group, pass_at_k

KS = (1, 5, 10)
"""The k that are printed and drawn, as far as there are samples."""


def fewest_samples(episodes: Iterable[Episode]) -> int:
    """The number of judged first answers that every task has, in every model, condition and framework; 0 without."""
    return min(map(len, _tasks(episodes)), default=0)


def pass_at_k_interval(episodes: Iterable[Episode], k: int) -> Interval:
    """Pass@k averaged over tasks with the weights of every rate, and its 95% interval over problems.

    Each task has its own estimate in 0..1; one with fewer than `k` judged first answers is left out. Pass@1 is FB@0.
    """
    tasks = [members for members in _tasks(episodes) if len(members) >= k]
    members = [episode for task in tasks for episode in task]
    solved = [pass_at_k(len(task), sum(e.first.passed for e in task), k) for task in tasks for _ in task]
    weight = weights(members)
    clusters = Clusters.of(zip(map(problem, members), solved, strict=True), weight)
    return rate_interval(clusters, most=kish(weight))


def _tasks(episodes: Iterable[Episode]) -> list[list[Episode]]:
    fields = ("model", "condition", "suite", "task_id", "framework")
    return list(group(counted(episodes, 0), *fields).values())
