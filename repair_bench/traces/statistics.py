"""Intervals for rates. scipy is imported when the first one is asked for."""

from __future__ import annotations


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """The Wilson score interval of a rate, low and high in 0..1 (Wilson, 1927); None when `n` is 0.

    It takes the `n` trials as independent. Several samples of one task are not: it is then too narrow.
    Raises ValueError when `successes` is not in 0..n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return None
    from scipy.stats import binomtest

    interval = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)
