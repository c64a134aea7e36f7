"""Intervals for a share of what could be gained, such as the use of feedback, and for the difference of two shares.

Most problems of a good player lose nothing against the best one and a few lose much, so that the sums are skewed and
Student's interval covers too little. What is lost cannot be below 0: the interval is a score interval for it.
"""

from __future__ import annotations

import math

from repair_bench.analysis.rates.intervals import CONFIDENCE, Clusters, Interval

UNSEEN = 0.02
"""The part of a problem that is added for a kind of problem that was not drawn; see `UNSEEN_LOSS`."""
UNSEEN_LOSS = 2
"""So many of its episodes lose all that they could gain. Both were chosen by simulation (`benchmarks/observer.py`)."""
MIN_EPISODES = 1.5
"""With fewer episodes per problem on average no interval is given: with one it may cover as little as 84%."""
ROUNDING = 1e-9
"""Shares that differ by less are the same."""


def share_interval(clusters: Clusters, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of the share of what could be gained that was gained.

    `clusters`: by problem what was gained, at most what could be gained, and what could be gained, above 0. The score
    interval of the share L that was lost, as of a rate of rare events: all L with (l - L)^2 <= t^2 (v / l) L, for the
    estimate l and its variance v between problems, and t Student's quantile (the score interval of a Poisson rate, as
    in Barker, The American Statistician 56, 85, 2002, with an overdispersion v / l that is estimated). It is asymmetric
    and never goes beyond 1.

    Where hardly any problem loses anything, v knows nothing of one that was not drawn: v / l includes the part `UNSEEN`
    of a problem in which `UNSEEN_LOSS` episodes lose all, and as much of one that loses nothing. Beyond 1, where the
    share may lie for answers that treat calls differently, it is Student's. None with fewer than two problems, or than
    `MIN_EPISODES` of the `n` episodes per problem.
    """
    could, problems = math.fsum(clusters.counts), len(clusters.sums)
    if not could > 0:
        return Interval(None, None, None, 0, 0)
    pairs = list(zip(clusters.sums, clusters.counts, strict=True))
    share = math.fsum(clusters.sums) / could
    if problems < 2 or n < MIN_EPISODES * problems:
        return Interval(share, None, None, n, problems)
    t, size = _student(problems, confidence), could / problems
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


def difference_interval(a: Clusters, b: Clusters, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of the share of `b` minus the share of `a`, over the same problems in the same order.

    Student's on the linearised difference of two ratios (Cochran, Sampling Techniques, 1977, section 6.10), paired by
    problem. None with fewer than two problems, or where either side had nothing to gain.
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
    half = _student(problems, confidence) * math.sqrt(variance)
    return Interval(found, found - half, found + half, n, problems)


def _student(problems: int, confidence: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(problems - 1, 0.5 + confidence / 2))
