"""Wilson's interval, exact McNemar, and corrections for many tests. scipy is imported when it is first asked for.

None of these knows that the framework twins and samples of a problem move together; `intervals` does.
"""

from __future__ import annotations

from collections.abc import Sequence


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


def mcnemar(won: int, lost: int) -> float:
    """The two-sided p-value of McNemar's exact test (McNemar, 1947): `won` pairs changed one way and `lost` the other.

    Under no difference a changed pair goes either way with probability 1/2, so it is the binomial test of `won` in
    `won + lost`; 1 when no pair changed. It takes pairs as independent. Raises ValueError for negative counts.
    """
    if min(won, lost) < 0:
        raise ValueError(f"{won} won and {lost} lost")
    if won + lost == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(won, won + lost).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for many tests, so that the chance of any false one stays at the level (Holm, 1979).

    The i-th smallest of m (i = 0, 1, ...) is multiplied by m - i, never below the one before it, never above 1. In the
    order given. Raises ValueError for a value outside 0..1.
    """
    _check(p_values)
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _check(p_values: Sequence[float]) -> None:
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p-values are in 0..1: {list(p_values)}")
