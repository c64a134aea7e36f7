"""Intervals for rates and differences, clustered by problem (`clusters.problem_of`).

The intervals use the variance between problems, because the coverage of bootstrap intervals is too low if there are few
problems (`benchmarks/coverage.py`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repair_bench.analysis.rates.statistics import Z, student, wilson

if TYPE_CHECKING:
    import numpy as np

UNSEEN = 0.2
"""The weight of a hypothetical problem, relative to an observed problem. To compute a variance, two hypothetical
problems are added: one with solve rate 0 and one with solve rate 1. The weight was chosen by
`benchmarks/coverage.py`."""


@dataclass(frozen=True)
class Interval:
    """An estimate and its confidence interval, based on `n` values in `problems` clusters.

    If there are no values, the estimate and the limits are None.
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
    """The sums of weighted values and the sums of weights, by cluster.

    `values`: the number of values that were summed. If `values` is None, the total weight is used as the number of
    values.
    """

    sums: Sequence[float]
    counts: Sequence[float]
    values: int | None = None

    @classmethod
    def of(cls, values: Iterable[tuple[Hashable, float]], weights: Iterable[float] = itertools.repeat(1)) -> Clusters:
        """Sum the values in (problem, value) pairs by problem, in order of appearance."""
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
        """Compute one weighted sum of values for each problem.

        `problems`: for each value, the index of the value's problem. Indices start at 0 and follow the order of
        appearance.
        """
        import numpy as np

        sums, counts = (np.bincount(problems, weights=x).tolist() for x in (weights * values, weights))
        return cls(sums, counts, len(problems))

    @property
    def n(self) -> int:
        return int(sum(self.counts)) if self.values is None else self.values


def kish(weights: Sequence[float]) -> float:
    """Return the effective sample size of weighted values, (sum of w)^2 / (sum of w^2) (Kish, 1965, section 11.7)."""
    return sum(weights) ** 2 / max(1, sum(w * w for w in weights))


def rate_interval(clusters: Clusters, max_n: float = math.inf) -> Interval:
    """Return the interval for the mean of values between 0 and 1.

    The result is Wilson's score interval for n values from C problems. The effective sample size is n* = C b / v, where
    C is the number of problems and v is the variance between problems. The variance between problems would be b if all
    values of each problem were equal. The normal quantile is multiplied by t(C - 1) / t(n - 1), because v is estimated
    from only C problems (Korn and Graubard, 1998; Dean and Pagano, 2015). t(d) is Student's quantile with d degrees of
    freedom. Both variances (v and b) include two hypothetical problems, each with weight `UNSEEN`: one that is always
    solved, and one that is never solved. The effective sample size n* is at most the smaller of n and `max_n`.
    """
    n, problems = clusters.n, len(clusters.sums)
    if not problems:
        return Interval(None, None, None, 0, 0)
    p = min(1.0, max(0.0, sum(clusters.sums) / sum(clusters.counts)))
    wider = student(problems) / student(n) if problems > 1 else 1.0  # the variance is estimated from few problems
    low, high = wilson(p, min(max_n, _effective(clusters)), Z * wider)
    return Interval(p, low, high, n, problems)


def lower_limit(clusters: Clusters, chance: float, max_n: float) -> float:
    """Return a lower confidence limit for a rate. With probability `chance`, this limit is greater than the true rate.

    The result is Jeffreys' limit (Brown, Cai and DasGupta, Statistical Science 16, 101, 2001). The sample size is the
    n* described in `rate_interval`, divided by the square of t(C - 1) / t(n - 1) (Korn and Graubard, 1998).
    """
    from scipy.special import betaincinv

    p = min(1.0, max(0.0, sum(clusters.sums) / sum(clusters.counts)))
    wider = student(len(clusters.sums)) / student(clusters.n)
    effective = min(max_n, _effective(clusters)) / wider**2
    return min(p, float(betaincinv(p * effective + 0.5, (1 - p) * effective + 0.5, chance)))


def _effective(clusters: Clusters) -> float:
    """Return the effective sample size, which `rate_interval` calls n*. For a single problem, return 1."""
    problems, size = len(clusters.sums), sum(clusters.counts) / len(clusters.sums)
    if problems == 1:
        return 1.0
    every = problems + 2 * UNSEEN
    p = (sum(clusters.sums) + UNSEEN * size) / (every * size)
    squares = sum((s - p * c) ** 2 for s, c in zip(clusters.sums, clusters.counts, strict=True))
    squares += UNSEEN * size**2 * (p**2 + (1 - p) ** 2)
    return min(clusters.n, problems * p * (1 - p) * every * size**2 / squares)


def mean_interval(clusters: Clusters) -> Interval:
    """Return the interval for the mean of values between -1 and 1, such as paired differences.

    The result is Student's t interval with C - 1 degrees of freedom, where C is the number of clusters. The variance is
    that of a ratio estimate, v = C / (C - 1) * sum_c (s_c - m n_c)^2 / n^2 (Cochran, Sampling Techniques, 1977, section
    6.4; Miller, arXiv 2411.00640, section 2.2). If v is 0, the limits of the interval are m - w and m + w, where m is
    the mean and w is the width of Wilson's interval for 0 successes in C trials.
    """
    problems, weight = len(clusters.sums), sum(clusters.counts)
    if not problems:
        return Interval(None, None, None, 0, 0)
    m, variance, t = sum(clusters.sums) / weight, 0.0, Z
    if problems > 1:
        squares = sum((s - m * c) ** 2 for s, c in zip(clusters.sums, clusters.counts, strict=True))
        variance = problems / (problems - 1) * squares / weight**2
        t = student(problems)
    half = t * variance**0.5 if variance > 1e-18 else t * t / (problems + t * t)
    return Interval(m, max(-1.0, m - half), min(1.0, m + half), clusters.n, problems)
