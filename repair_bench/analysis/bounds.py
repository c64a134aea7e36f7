"""Bounds of rates and differences where episodes were cut short: what the attempts not made could have changed.

A fault or an interruption ends an episode early. So does a regrade: where the new verdict departs from what the model
was told, what followed is off-policy and enters no rate. The rates suppose that such episodes would have gone on like
the others (see `censoring`); the bounds suppose nothing: never solved from there on, or solved at once (Manski,
Partial Identification of Probability Distributions, 2003; Horowitz and Manski, J. Am. Stat. Assoc. 95, 77, 2000).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.analysis.curves import problem, solved_by, weights
from repair_bench.analysis.intervals import Clusters, Interval, kish, mean_interval, rate_interval
from repair_bench.analysis.metrics import Episode
from repair_bench.analysis.pairs import Pair, Paired
from repair_bench.analysis.statistics import sign_flip

LEVEL = 0.05
"""Of a p-value, for a difference that is found."""


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


@dataclass(frozen=True)
class DifferenceBound:
    """A difference in -1..1 where pairs were cut short, least and most, each with its 95% interval and p-value.

    At the least the episodes of the baseline that were cut short are solved at once and those of the other never; at
    the most the reverse. `censored`: the pairs of which either was cut short.
    """

    least: Interval
    most: Interval
    p_least: float
    p_most: float
    censored: int

    def decides(self, estimate: float | None, p: float | None) -> bool:
        """Whether the sign of the estimate, or p below 0.05, is not the same at both ends."""
        if estimate is None:
            return False
        ends = [(self.least.estimate or 0.0, self.p_least), (self.most.estimate or 0.0, self.p_most)]
        signs = {_sign(d) for d in (estimate, *(d for d, _ in ends))}
        return len(signs) > 1 or (p is not None and len({q < LEVEL for q in (p, *(q for _, q in ends))}) > 1)


def stated(found: DifferenceBound | None, estimate: float | None, p: float | None) -> dict[str, Any] | None:
    """Bounds as JSON data; `estimate` and `p`: of the difference itself."""
    if found is None:
        return None
    ends = {"least": found.least, "most": found.most}
    return {
        **{name: {"estimate": end.estimate, "low": end.low, "high": end.high} for name, end in ends.items()},
        "p_least": found.p_least,
        "p_most": found.p_most,
        "censored": found.censored,
        "decides": found.decides(estimate, p),
    }


def difference_bound(paired: Paired, k: int) -> DifferenceBound | None:
    """The bounds of the difference in FB@k, over every pair that was begun; None where no pair was cut short."""
    begun = [*paired.pairs, *paired.unjudged]
    found = [ends(pair, k) for pair in begun]
    return bound_of([a for a, _ in begun], [least for least, _ in found], [most for _, most in found])


def bound_of(
    begun: Sequence[Episode], least: Sequence[float], most: Sequence[float], weight: Sequence[float] | None = None
) -> DifferenceBound | None:
    """The bounds of a mean difference of pairs whose baselines are `begun`; None where both ends are the same.

    `weight`: of each pair; by default `curves.weights`.
    """
    censored = sum(low != high for low, high in zip(least, most, strict=True))
    if not censored:
        return None
    weight = weights(begun) if weight is None else weight
    low, high = (Clusters.of(zip(map(problem, begun), end, strict=True), weight) for end in (least, most))
    return DifferenceBound(mean_interval(low), mean_interval(high), sign_flip(low.sums), sign_flip(high.sums), censored)


def ends(pair: Pair, k: int) -> tuple[int, int]:
    """The least and the most that a pair adds to a difference in FB@k."""
    if k == 0 and pair[0].first.id == pair[1].first.id and not any(e.known for e in pair):
        return 0, 0  # one answer, whatever it was
    (a, could_a), (b, could_b) = ((solved_by(e, k), e.state(k) != "counted") for e in pair)
    return b - (a or could_a), (b or could_b) - a


def _sign(value: float) -> int:
    return (value > 1e-12) - (value < -1e-12)
