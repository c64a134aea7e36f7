"""Rates of solved episodes and repair curves, with intervals over problems."""

from __future__ import annotations

from collections.abc import Iterable

from repair_bench.analysis.intervals import Clusters, Interval, rate_interval
from repair_bench.analysis.metrics import Episode, counted


def problem(episode: Episode) -> tuple[str, str]:
    """The cluster of an episode: its suite and task id, whatever the framework and the sample."""
    return episode.first.suite, episode.first.task_id


def solved_by(episode: Episode, k: int) -> bool:
    """Whether it passed at an attempt <= k."""
    return episode.solved_at is not None and episode.solved_at <= k


def rate(members: Iterable[Episode], k: int) -> Interval:
    """FB@k in 0..1 of episodes that count, with its 95% interval (see `intervals.rate_interval`)."""
    return rate_interval(Clusters.of((problem(e), float(solved_by(e, k))) for e in members))


def curve_intervals(episodes: Iterable[Episode], repairs: int) -> list[Interval]:
    """The points FB@0..FB@`repairs` of `metrics.curve`, each with its own 95% interval; all empty without episodes."""
    members = counted(episodes, repairs)
    return [rate(members, k) for k in range(repairs + 1)]
