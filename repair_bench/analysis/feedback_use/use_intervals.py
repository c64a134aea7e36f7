"""Confidence intervals for the achieved share of a maximum gain (such as feedback utilisation), and for the difference
between two shares.

With a good policy, the loss is zero for most problems and large for a few. If most losses are zero and a few are large,
Student's interval contains the true value too rarely. Therefore, a score interval for the nonnegative loss is used.
"""

from __future__ import annotations

import math

from repair_bench.analysis.rates.intervals import Clusters, Interval
from repair_bench.analysis.rates.statistics import student

UNSEEN = 0.02
"""The weight of a hypothetical, unobserved problem, relative to an observed problem."""
UNSEEN_LOSS = 2
"""The number of episodes in a hypothetical problem. No episode of this problem achieves any gain. The weight of the
problem is `UNSEEN`. `UNSEEN` and `UNSEEN_LOSS` were chosen by simulation (`benchmarks/observer.py`).
"""
MIN_EPISODES = 1.5
"""The minimum ratio of the number of episodes to the number of problems. With one episode per problem, coverage can be
as low as 84%."""
ROUNDING = 1e-9
"""The difference below which two shares are treated as equal."""


def share_interval(clusters: Clusters, n: int) -> Interval:
    """Return the confidence interval for the achieved share of the maximum gain.

    `clusters`: for each problem, the achieved gain and the (positive) maximum gain. The score interval contains all
    values L of the lost share of the maximum gain that satisfy (l - L)^2 <= t^2 (v / l) L, where l is the estimate of
    the lost share, v is the variance of l between problems, and t is Student's quantile. This is the score interval of
    a Poisson rate (Barker, The American Statistician 56, 85, 2002) with overdispersion v / l.

    The overdispersion is computed from the observed problems and two hypothetical problems. Each hypothetical problem
    has the weight `UNSEEN`. The first hypothetical problem has `UNSEEN_LOSS` episodes, none of which achieves any gain.
    In the second hypothetical problem, every episode achieves the maximum gain. If the estimated share exceeds 1,
    Student's t interval is used instead. The limits of the interval are None if there are fewer than two problems, or
    if problems have fewer than `MIN_EPISODES` episodes on average.
    """
    could, problems = math.fsum(clusters.counts), len(clusters.sums)
    if not could > 0:
        return Interval(None, None, None, 0, 0)
    pairs = list(zip(clusters.sums, clusters.counts, strict=True))
    share = math.fsum(clusters.sums) / could
    if problems < 2 or n < MIN_EPISODES * problems:
        return Interval(share, None, None, n, problems)
    t, size = student(problems), could / problems
    share = 1.0 if abs(share - 1) < ROUNDING else share
    if share > 1:
        half = t * math.sqrt(problems / (problems - 1) * math.fsum((s - share * c) ** 2 for s, c in pairs)) / could
        return Interval(share, share - half, share + half, n, problems)
    every, unseen = problems + 2 * UNSEEN, UNSEEN_LOSS * problems / n
    lost = (could * (1 - share) + UNSEEN * size * unseen) / (every * size)
    squares = math.fsum((c - s - lost * c) ** 2 for s, c in pairs)
    squares += UNSEEN * size**2 * ((unseen - lost) ** 2 + lost**2)
    spread = t * t * squares / (problems - 1) * problems**2 / every / could**2 / lost
    middle, half = 1 - share + spread / 2, math.sqrt(spread * (1 - share) + spread**2 / 4)
    return Interval(share, 1 - middle - half, min(1.0, 1 - middle + half), n, problems)


def difference_interval(a: Clusters, b: Clusters, n: int) -> Interval:
    """Return the interval for the difference between two shares (the share of `b` minus the share of `a`).

    Both arguments list the same problems in the same order. The result is Student's t interval for the linearised
    difference of two ratios, paired by problem (Cochran, Sampling Techniques, 1977, section 6.10). The limits of the
    interval are None if there are fewer than two problems, or if the maximum gain of `a` or `b` is 0.
    """
    problems = len(a.sums)
    if not min(math.fsum(a.counts), math.fsum(b.counts)) > 0:
        return Interval(None, None, None, 0, problems)
    rests, shares = [], []
    for side in (a, b):
        could = math.fsum(side.counts)
        share = math.fsum(side.sums) / could
        shares.append(share)
        rests.append([(s - share * c) / could for s, c in zip(side.sums, side.counts, strict=True)])
    found = shares[1] - shares[0]
    if problems < 2:
        return Interval(found, None, None, n, problems)
    variance = problems / (problems - 1) * math.fsum((y - x) ** 2 for x, y in zip(*rests, strict=True))
    half = student(problems) * math.sqrt(variance)
    return Interval(found, found - half, found + half, n, problems)
