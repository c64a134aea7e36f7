"""Hazard and survival of unsolved episodes by attempt, with censoring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.curves import problem, rate, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, kish, rate_interval
from repair_bench.analysis.rates.metrics import Episode, counted


@dataclass(frozen=True)
class Risk:
    """One attempt of the life table, with the numbers of episodes `at_risk`, `solved` and `censored`.

    `hazard`: P(solved at this attempt | unsolved before it). `unsolved`: the Kaplan-Meier survival after it. Both are
    in 0..1 with 95% intervals.
    """

    attempt: int
    at_risk: int
    solved: int
    censored: int
    hazard: Interval
    unsolved: Interval


def life_table(episodes: Iterable[Episode], repairs: int) -> list[Risk]:
    """Return one row per attempt up to `repairs` that an episode made.

    The survival after attempt a is 1 - FB@a (Kaplan and Meier, 1958), with the interval of FB@a instead of Greenwood's,
    which assumes independent episodes (Williams, Lifetime Data Analysis 1, 171, 1995).
    """
    members = counted(episodes, 0)
    seen = list(zip(_times(members, repairs), map(problem, members), weights(members), strict=True))
    rows = []
    for attempt in range(max((time for (time, _), _, _ in seen), default=-1) + 1):
        there = [(of, float(solved and time == attempt), w) for (time, solved), of, w in seen if time >= attempt]
        ended = [solved for (time, solved), _, _ in seen if time == attempt]
        weight = [w for *_, w in there]
        hazard = rate_interval(Clusters.of(((of, now) for of, now, _ in there), weight), max_n=kish(weight))
        left = _left(rate(members, attempt))
        rows.append(Risk(attempt, len(there), sum(ended), len(ended) - sum(ended), hazard, left))
    return rows


def _left(solved: Interval) -> Interval:
    estimate, low, high = (None if x is None else 1 - x for x in (solved.estimate, solved.high, solved.low))
    return Interval(estimate, low, high, solved.n, solved.problems)


def _times(episodes: Iterable[Episode], repairs: int) -> list[tuple[int, bool]]:
    times = []
    for episode in episodes:
        last = episode.unsolved_to if episode.solved_at is None else episode.solved_at
        times.append((int(min(last, repairs)), episode.solved_at is not None and last <= repairs))
    return times
