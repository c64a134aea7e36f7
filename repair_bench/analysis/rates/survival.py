"""Hazard and survival of unsolved episodes by attempt, taking censoring into account."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.curves import problem, rate, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, kish, rate_interval
from repair_bench.analysis.rates.metrics import Episode, counted


@dataclass(frozen=True)
class Risk:
    """A row of the life table, with the numbers of episodes that are `at_risk`, `solved` and `censored` at one attempt.

    `hazard`: P(solved at this attempt | unsolved before it). `unsolved`: the Kaplan-Meier survival after this attempt.
    `hazard` and `unsolved` are values between 0 and 1, with 95% intervals.
    """

    attempt: int
    at_risk: int
    solved: int
    censored: int
    hazard: Interval
    unsolved: Interval


def life_table(episodes: Iterable[Episode], repairs: int) -> list[Risk]:
    """Return one row for each attempt number, up to `repairs`, that at least one episode reached.

    The survival after attempt k is 1 - FB@k (Kaplan and Meier, 1958). The interval for the survival is computed from
    the interval for FB@k. Greenwood's interval is not used, because it assumes independent episodes (Williams, Lifetime
    Data Analysis 1, 171, 1995).
    """
    members = counted(episodes, 0)
    last = [min(e.unsolved_to if e.solved_at is None else e.solved_at, repairs) for e in members]
    seen = list(zip(members, last, weights(members), strict=True))
    rows = []
    for attempt in range(int(max(last, default=-1)) + 1):
        there = [(problem(e), e.solved_at == attempt) for e, end, _ in seen if end >= attempt]
        weight = [w for _, end, w in seen if end >= attempt]
        solved = sum(now for _, now in there)
        hazard = rate_interval(Clusters.of(there, weight), max_n=kish(weight))
        fb = rate(members, attempt)
        estimate, low, high = (None if x is None else 1 - x for x in (fb.estimate, fb.high, fb.low))
        unsolved = Interval(estimate, low, high, fb.n, fb.problems)
        rows.append(Risk(attempt, len(there), solved, last.count(attempt) - solved, hazard, unsolved))
    return rows
