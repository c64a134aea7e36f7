"""Pass@k of first answers, with intervals over problems."""

from __future__ import annotations

from collections.abc import Iterable

from repair_bench.traces.analysis.curves import problem
from repair_bench.traces.intervals import Clusters, Interval, rate_interval
from repair_bench.traces.metrics import Episode, counted, group, pass_at_k


def fewest_samples(paths: Iterable[Episode], repairs: int) -> int:
    """The number of counted samples that every task has, in every model, condition and framework; 0 without any."""
    return min(map(len, _tasks(paths, repairs)), default=0)


def pass_at_k_interval(paths: Iterable[Episode], repairs: int, k: int) -> Interval:
    """As `metrics.mean_pass_at_k`, with its 95% interval over problems: framework twins move together.

    Every task weighs the same, with its own estimate in 0..1; one with fewer than `k` counted samples is left out.
    """
    tasks = [members for members in _tasks(paths, repairs) if len(members) >= k]
    samples = min(map(len, tasks), default=0)
    values = [(problem(t[0]), pass_at_k(len(t), sum(e.first.passed for e in t), k)) for t in tasks]
    return rate_interval(Clusters.of(value for value in values for _ in range(samples)))


def _tasks(paths: Iterable[Episode], repairs: int) -> list[list[Episode]]:
    fields = ("model", "condition", "suite", "task_id", "framework")
    return list(group(counted(paths, repairs), *fields).values())
