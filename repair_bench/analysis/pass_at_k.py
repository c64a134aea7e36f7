"""Pass@k of first answers, with intervals over problems."""

from __future__ import annotations

from collections.abc import Iterable

from repair_bench.analysis.curves import problem
from repair_bench.analysis.intervals import Clusters, Interval, rate_interval
from repair_bench.analysis.metrics import Episode, counted, group, pass_at_k

KS = (1, 5, 10)
"""The k that are printed and drawn, as far as there are samples."""


def fewest_samples(episodes: Iterable[Episode]) -> int:
    """The number of judged first answers that every task has, in every model, condition and framework; 0 without."""
    return min(map(len, _tasks(episodes)), default=0)


def pass_at_k_interval(episodes: Iterable[Episode], k: int) -> Interval:
    """Pass@k averaged over tasks, with its 95% interval over problems: framework twins move together.

    Every task weighs the same, with its own estimate in 0..1; one with fewer than `k` judged first answers is left out.
    """
    tasks = [members for members in _tasks(episodes) if len(members) >= k]
    samples = min(map(len, tasks), default=0)
    values = [(problem(t[0]), pass_at_k(len(t), sum(e.first.passed for e in t), k)) for t in tasks]
    return rate_interval(Clusters.of(value for value in values for _ in range(samples)))


def _tasks(episodes: Iterable[Episode]) -> list[list[Episode]]:
    fields = ("model", "condition", "suite", "task_id", "framework")
    return list(group(counted(episodes, 0), *fields).values())
