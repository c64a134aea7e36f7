"""How long episodes stay unsolved: hazard and survival by attempt, with censoring.

An episode that a fault, a budget or a kill stopped is censored at its last known attempt, as in every rate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.curves import problem, rate, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, kish, rate_interval
from repair_bench.analysis.rates.metrics import Episode, counted


@dataclass(frozen=True)
class Risk:
    """One attempt of the life table. `at_risk`: episodes that made it; `solved`: those it solved; `censored`: those
    unsolved and seen no further. `hazard`: P(solved at this attempt | unsolved before it), and `unsolved`: the
    Kaplan-Meier share still unsolved after it, in 0..1, each with its 95% interval over problems.
    """

    attempt: int
    at_risk: int
    solved: int
    censored: int
    hazard: Interval
    unsolved: Interval


def life_table(episodes: Iterable[Episode], repairs: int) -> list[Risk]:
    """One row for each attempt up to `repairs` that an episode made.

    The share unsolved after attempt a is 1 - FB@a, the product over j <= a of 1 - d_j / n_j, for the weight d_j solved
    of n_j at risk (Kaplan and Meier, 1958). Its interval is that of FB@a (`curves.rate`), on the variance between
    problems: Greenwood's takes episodes as independent (Williams, Lifetime Data Analysis 1, 171, 1995).
    """
    members = counted(episodes, 0)
    seen = list(zip(_times(members, repairs), map(problem, members), weights(members), strict=True))
    rows = []
    for attempt in range(max((time for (time, _), _, _ in seen), default=-1) + 1):
        there = [(of, float(solved and time == attempt), w) for (time, solved), of, w in seen if time >= attempt]
        ended = [solved for (time, solved), _, _ in seen if time == attempt]
        weight = [w for *_, w in there]
        hazard = rate_interval(Clusters.of(((of, now) for of, now, _ in there), weight), most=kish(weight))
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
