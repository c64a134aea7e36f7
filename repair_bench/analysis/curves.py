"""Rates of solved episodes and repair curves, with intervals over problems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repair_bench.analysis.censoring import shares, worth
from repair_bench.analysis.intervals import Clusters, Interval, rate_interval
from repair_bench.analysis.metrics import Episode, counted


def problem(episode: Episode) -> tuple[str, str]:
    """The cluster of an episode: its suite and task id, whatever the framework and the sample."""
    return episode.first.suite, episode.first.task_id


def solved_by(episode: Episode, k: int) -> bool:
    """Whether it is known to have passed at an attempt <= k."""
    return episode.solved_at is not None and episode.solved_at <= k


def area(episode: Episode, repairs: int) -> int:
    """The area under the episode's own repair curve: how many of FB@0..FB@`repairs` it counts as solved for."""
    return sum(solved_by(episode, k) for k in range(repairs + 1))


def solved_shares(members: Sequence[Episode], k: int) -> list[float] | None:
    """One value an episode, 1 or 0 for solved within `k` repairs or not; their mean is FB@k.

    The first answer of each was judged. Where some were cut short see `censoring.shares`; None when FB@k is unknown.
    """
    values = shares(*_seen(members), k)
    return None if values is None else values.tolist()


def _seen(members: Sequence[Episode]) -> tuple[list[float], list[bool]]:
    """At which attempt each was solved, or was last seen, and which of the two: as `censoring` takes them."""
    solved = [e.solved_at for e in members]
    times = [e.unsolved_to if at is None else at for e, at in zip(members, solved, strict=True)]
    return times, [at is not None for at in solved]


def rate(members: Iterable[Episode], k: int) -> Interval:
    """FB@k in 0..1 of the episodes whose first answer was judged, with its 95% interval (`intervals.rate_interval`).

    The estimate is None when no episode was seen that far.
    """
    members = counted(members, 0)
    problems = [problem(e) for e in members]
    values = solved_shares(members, k)
    if values is None:
        return Interval(None, None, None, len(members), len(set(problems)))
    return rate_interval(Clusters.of(zip(problems, values, strict=True)), most=worth(*_seen(members), k))


def curve_intervals(episodes: Iterable[Episode], repairs: int) -> list[Interval]:
    """The points FB@0..FB@`repairs`, each with its own 95% interval; all empty without episodes."""
    members = counted(episodes, 0)
    return [rate(members, k) for k in range(repairs + 1)]
