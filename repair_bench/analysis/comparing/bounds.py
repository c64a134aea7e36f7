"""Bounds on rates and differences when episodes are censored.

Infrastructure errors, interruptions and regrades censor episodes. Rates assume that censoring is unrelated to the
outcome of an episode (see `censoring`). The bounds hold whatever the relation between censoring and outcome (Horowitz
and Manski, J. Am. Stat. Assoc. 95, 77, 2000). A lower bound treats censored episodes as never solved, and an upper
bound treats them as solved at the next attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.analysis.comparing.pairs import Pair, Paired
from repair_bench.analysis.rates.curves import problem, solved_by, weights
from repair_bench.analysis.rates.intervals import Clusters, Interval, kish, mean_interval, rate_interval
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.rates.statistics import sign_flip

LEVEL = 0.05
"""The significance level for p-values."""


@dataclass(frozen=True)
class Bound:
    """The lower and upper bounds on FB@k (from 0 to 1), each with its 95% interval.

    `censored`: the number of censored episodes.
    """

    lower: Interval
    upper: Interval
    censored: int


def bounds(episodes: Iterable[Episode], repairs: int) -> list[Bound]:
    """Return the bounds on FB@0..FB@`repairs` over all recorded episodes."""
    recorded = list(episodes)
    clusters, weight = [problem(e) for e in recorded], weights(recorded)
    effective = kish(weight)
    points = []
    for k in range(repairs + 1):
        solved = [solved_by(e, k) for e in recorded]
        open_ = [e.state(k) != "counted" for e in recorded]
        lower = Clusters.of(zip(clusters, solved, strict=True), weight)
        upper = Clusters.of(((c, s or o) for c, s, o in zip(clusters, solved, open_, strict=True)), weight)
        points.append(Bound(rate_interval(lower, max_n=effective), rate_interval(upper, max_n=effective), sum(open_)))
    return points


@dataclass(frozen=True)
class DifferenceBound:
    """The bounds on a difference (from -1 to 1), each with its 95% interval and p-value.

    The lower bound treats censored episodes of the baseline as solved, and censored episodes of the other side as
    unsolved. The upper bound treats censored episodes of the baseline as unsolved, and censored episodes of the other
    side as solved. `censored`: the number of pairs of episodes with at least one censored episode.
    """

    lower: Interval
    upper: Interval
    p_lower: float
    p_upper: float
    censored: int

    def decides(self, estimate: float | None, p: float | None) -> bool:
        """Whether the estimate, lower bound and upper bound differ in sign or in significance (p below 0.05)."""
        if estimate is None:
            return False
        ends = [(self.lower.estimate or 0.0, self.p_lower), (self.upper.estimate or 0.0, self.p_upper)]
        signs = {_sign(d) for d in (estimate, *(d for d, _ in ends))}
        return len(signs) > 1 or (p is not None and len({q < LEVEL for q in (p, *(q for _, q in ends))}) > 1)


def stated(found: DifferenceBound | None, estimate: float | None, p: float | None) -> dict[str, Any] | None:
    """Return bounds as JSON data. `estimate`, `p`: the estimated difference and its p-value."""
    if found is None:
        return None
    return {
        "lower": found.lower.to_json(),
        "upper": found.upper.to_json(),
        "p_lower": found.p_lower,
        "p_upper": found.p_upper,
        "censored": found.censored,
        "decides": found.decides(estimate, p),
    }


def difference_bound(paired: Paired, k: int) -> DifferenceBound | None:
    """Return the bounds on the difference in FB@k over all recorded pairs of episodes; None if no pair is censored."""
    recorded = [*paired.pairs, *paired.unjudged]
    found = [ends(pair, k) for pair in recorded]
    return bound_of([a for a, _ in recorded], [lower for lower, _ in found], [upper for _, upper in found])


def bound_of(
    recorded: Sequence[Episode],
    lower: Sequence[float],
    upper: Sequence[float],
    weight: Sequence[float] | None = None,
    excluded: int = 0,
) -> DifferenceBound | None:
    """Return the bounds on the mean difference over pairs, or None if they equal the estimate.

    They equal the estimate if `lower` and `upper` are equal for every pair and no pair is `excluded` from the estimate.
    `recorded`: a list of the baseline episodes, one for each pair. `weight`: one weight per pair, by default
    `curves.weights`.
    """
    censored = sum(low != high for low, high in zip(lower, upper, strict=True))
    if not censored and not excluded:
        return None
    weight = weights(recorded) if weight is None else weight
    low, high = (Clusters.of(zip(map(problem, recorded), end, strict=True), weight) for end in (lower, upper))
    return DifferenceBound(mean_interval(low), mean_interval(high), sign_flip(low.sums), sign_flip(high.sums), censored)


def ends(pair: Pair, k: int) -> tuple[int, int]:
    """Return the smallest and the largest possible difference between the two sides of a pair within k repairs."""
    if k == 0 and pair[0].first.id == pair[1].first.id and not any(e.known for e in pair):
        return 0, 0  # both sides share this answer
    (a, could_a), (b, could_b) = ((solved_by(e, k), e.state(k) != "counted") for e in pair)
    return b - (a or could_a), (b or could_b) - a


def _sign(value: float) -> int:
    return (value > 1e-12) - (value < -1e-12)
