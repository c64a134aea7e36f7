"""Repair curves where some episodes are cut short: what the unseen attempts could have made of them, as bounds.

A regraded run judges answers that were given to other verdicts. Where the new verdict departs from what the model was
told, what followed is off-policy: it enters no rate, and its episode is censored there. Leaving such episodes out would
bias every later point, so their fate is bounded: never solved from there on, or solved at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.curves import problem
from repair_bench.analysis.intervals import Clusters, Interval, rate_interval
from repair_bench.analysis.metrics import Episode


@dataclass(frozen=True)
class Bound:
    """FB@k in 0..1 at the least and at the most, each with its 95% interval; `censored`: the episodes in between."""

    least: Interval
    most: Interval
    censored: int


def bounds(episodes: Iterable[Episode], repairs: int) -> list[Bound]:
    """The points FB@0..FB@`repairs` over every episode that was judged at least once without a fault.

    An unsolved episode with fewer attempts than `repairs` allows is censored: at the least it is never solved, at the
    most at the first attempt that is not seen.
    """
    judged = [e for e in episodes if e.state(0) == "counted"]
    points = []
    for k in range(repairs + 1):
        solved = [e.solved_at is not None and e.solved_at <= k for e in judged]
        open_ = [e.solved_at is None and len(e.attempts) <= k for e in judged]
        least = Clusters.of((problem(e), float(s)) for e, s in zip(judged, solved, strict=True))
        most = Clusters.of((problem(e), float(s or o)) for e, s, o in zip(judged, solved, open_, strict=True))
        points.append(Bound(rate_interval(least), rate_interval(most), sum(open_)))
    return points
