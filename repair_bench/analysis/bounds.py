"""Repair curves where some episodes are cut short: what the unseen attempts could have made of them, as bounds.

A fault or an interruption ends an episode early. So does a regrade: where the new verdict departs from what the model
was told, what followed is off-policy and enters no rate. The rates suppose that such episodes would have gone on like
the others (see `censoring`); the bounds suppose nothing: never solved from there on, or solved at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.curves import problem, solved_by, weights
from repair_bench.analysis.intervals import Clusters, Interval, kish, rate_interval
from repair_bench.analysis.metrics import Episode


@dataclass(frozen=True)
class Bound:
    """FB@k in 0..1 at the least and at the most, each with its 95% interval; `censored`: the episodes in between."""

    least: Interval
    most: Interval
    censored: int


def bounds(episodes: Iterable[Episode], repairs: int) -> list[Bound]:
    """The points FB@0..FB@`repairs` over every episode that was begun.

    At the least an episode that was cut short is never solved, at the most at the first attempt that is not seen: at
    once, where a fault took the first answer.
    """
    begun = list(episodes)
    clusters, weight = [problem(e) for e in begun], weights(begun)
    worth = kish(weight)
    points = []
    for k in range(repairs + 1):
        solved = [solved_by(e, k) for e in begun]
        open_ = [e.state(k) != "counted" for e in begun]
        least = Clusters.of(zip(clusters, solved, strict=True), weight)
        most = Clusters.of(((c, s or o) for c, s, o in zip(clusters, solved, open_, strict=True)), weight)
        points.append(Bound(rate_interval(least, most=worth), rate_interval(most, most=worth), sum(open_)))
    return points
