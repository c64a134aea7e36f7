"""Intervals for rates and differences, over problems.

The framework twins and the samples of one problem move together, so what is drawn at random is the problem: a cluster
is what `clusters.problem_of` returns. Over 42 problems a bootstrap covers too little where 95% is said, down to 90% by
percentiles and to 86% by BCa in simulated studies. The intervals that are printed are built from the variance between
problems; `benchmarks/coverage.py` measures them all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repair_bench.analysis.rates.statistics import wilson

if TYPE_CHECKING:
    import numpy as np

CONFIDENCE = 0.95
UNSEEN = 0.2
"""The part of a problem that is added at either end to judge how problems vary; chosen by `benchmarks/coverage.py`."""


@dataclass(frozen=True)
class Interval:
    """An estimate and its confidence interval. `n`: values it is made of; `problems`: clusters they come in.

    All three figures are None when there is no value.
    """

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    problems: int

    def to_json(self) -> dict[str, float | None]:
        return {"estimate": self.estimate, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Clusters:
    """Weighted values by cluster: the sum of value times weight, and the sum of the weights (counts where all are 1).

    `values`: how many values there are; by default the sum of the weights.
    """

    sums: Sequence[float]
    counts: Sequence[float]
    values: int | None = None

    @classmethod
    def of(cls, values: Iterable[tuple[Hashable, float]], weights: Iterable[float] = itertools.repeat(1)) -> Clusters:
        """Sum (problem, value) pairs by problem, in the order the problems first appear."""
        sums: dict[Hashable, float] = {}
        counts: dict[Hashable, float] = {}
        n = 0
        for (problem, value), weight in zip(values, weights, strict=False):
            sums[problem] = sums.get(problem, 0.0) + weight * value
            counts[problem] = counts.get(problem, 0) + weight
            n += 1
        return cls(list(sums.values()), list(counts.values()), n)

    @classmethod
    def numbered(cls, problems: np.ndarray, values: np.ndarray, weights: np.ndarray) -> Clusters:
        """The same of three columns; `problems`: their numbers, 0, 1, 2... as they first appear."""
        import numpy as np

        sums, counts = (np.bincount(problems, weights=x).tolist() for x in (weights * values, weights))
        return cls(sums, counts, len(problems))

    @property
    def n(self) -> int:
        """How many values there are."""
        return int(sum(self.counts)) if self.values is None else self.values


def kish(weights: Sequence[float]) -> float:
    """The effective number of values with these weights, (sum of w)^2 / (sum of w^2) (Kish, 1965, section 11.7)."""
    return sum(weights) ** 2 / max(1, sum(w * w for w in weights))


def rate_interval(clusters: Clusters, most: float = math.inf) -> Interval:
    """The interval of a rate, a mean of values that are 0 and 1 or lie between.

    Wilson's score interval with an effective number of values n* in place of n, and its quantile times
    t(C - 1) / t(n - 1), Student's for C problems and for n values (Korn and Graubard, 1998; Dean and Pagano, 2015).
    n* = C b / v, for v the variance between problems of the rate (see `mean_interval`) and b what it would be if all
    values of a problem agreed, but at most n, and at most `most`: the effective number of values with unequal weights,
    or of which some were cut short (`censoring.worth`). With one value of 0 or 1 per problem it is Wilson's interval.

    Near 0 and 1 most problems agree, and v knows nothing of a rarer kind that was not drawn: v and b are those of the
    problems and of `UNSEEN` of one more that is solved wholly, and as much of one that is not at all.
    """
    n, problems = clusters.n, len(clusters.sums)
    if not problems:
        return Interval(None, None, None, 0, 0)
    p = min(1.0, max(0.0, sum(clusters.sums) / sum(clusters.counts)))
    low, high = wilson(p, min(most, _effective(clusters)), _quantile(problems, n))
    return Interval(p, low, high, n, problems)


def lower_limit(clusters: Clusters, chance: float, most: float) -> float:
    """The lower limit of a rate at a one-sided level: it lies above the true rate with this `chance`.

    Jeffreys' limit, a quantile of a beta distribution (Brown, Cai and DasGupta, Statistical Science 16, 101, 2001). It
    has n* of `rate_interval` in place of n, reduced by the square of Student's quantiles (Korn and Graubard, 1998).
    Wilson's has the wrong chance at a single end, since it ignores the skewness of a rate.
    """
    from scipy.special import betaincinv, stdtrit

    n, problems = clusters.n, len(clusters.sums)
    p = min(1.0, max(0.0, sum(clusters.sums) / sum(clusters.counts)))
    wider = stdtrit(problems - 1, 0.975) / stdtrit(n - 1, 0.975)
    effective = min(most, _effective(clusters)) / wider**2
    return min(p, float(betaincinv(p * effective + 0.5, (1 - p) * effective + 0.5, chance)))


def _effective(clusters: Clusters) -> float:
    """The number of independent values that say as much of a rate; 1 for one problem."""
    problems, size = len(clusters.sums), sum(clusters.counts) / len(clusters.sums)
    if problems == 1:
        return 1.0
    every = problems + 2 * UNSEEN
    p = (sum(clusters.sums) + UNSEEN * size) / (every * size)
    squares = sum((s - p * c) ** 2 for s, c in zip(clusters.sums, clusters.counts, strict=True))
    squares += UNSEEN * size**2 * (p**2 + (1 - p) ** 2)
    return min(clusters.n, problems * p * (1 - p) * every * size**2 / squares)


def _quantile(problems: int, n: float) -> float:
    """The normal quantile, widened for a variance that is known from few problems; with one it is not known at all."""
    from scipy.special import ndtri, stdtrit

    at = 0.5 + CONFIDENCE / 2
    wider = stdtrit(problems - 1, at) / stdtrit(n - 1, at) if problems > 1 else 1.0
    return float(ndtri(at) * wider)


def mean_interval(clusters: Clusters) -> Interval:
    """The interval of a mean of values in -1..1, such as paired differences of outcomes.

    Student's, with C - 1 degrees of freedom for C problems, on the variance of a ratio estimate between clusters,
    v = C / (C - 1) * sum_c (s_c - m n_c)^2 / n^2 (Cochran, Sampling Techniques, 1977, section 6.4; for evaluations of
    language models: Miller, arXiv 2411.00640, section 2.2). Where all problems agree, v is 0 and says nothing: the
    interval then reaches as far as Wilson's for none of C; with one problem the quantile is the normal one.
    """
    from scipy.special import ndtri, stdtrit

    problems, weight = len(clusters.sums), sum(clusters.counts)
    if not problems:
        return Interval(None, None, None, 0, 0)
    m, variance, t = sum(clusters.sums) / weight, 0.0, float(ndtri(0.5 + CONFIDENCE / 2))
    if problems > 1:
        squares = sum((s - m * c) ** 2 for s, c in zip(clusters.sums, clusters.counts, strict=True))
        variance = problems / (problems - 1) * squares / weight**2
        t = float(stdtrit(problems - 1, 0.5 + CONFIDENCE / 2))
    half = t * variance**0.5 if variance > 1e-18 else t * t / (problems + t * t)
    return Interval(m, max(-1.0, m - half), min(1.0, m + half), clusters.n, problems)
