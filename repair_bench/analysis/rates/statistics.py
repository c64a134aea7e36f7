"""Wilson's interval, a sign-flip test and a correction for many tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Z = 1.959963984540054
"""The normal quantile of 95%, two-sided."""
EXACT = 13
"""With so many differences that are no whole numbers all signs are tried: 8,192."""
RESAMPLES = 9_999
FEWEST = 5
"""With fewer differences that are not 0 no p-value of `sign_flip` is below 0.05: of n the least is 2^-n."""
SYMMETRIC = 20
"""With fewer differences that are not 0 a p-value of `sign_flip` says so: it may reject a true null too often, where
effects are skewed. Chosen by `benchmarks/power.py`."""
REACH = 200_000
"""Whole numbers whose sum can be larger are treated as others are."""
_TIE = 1e-9
_DIGITS = 14
_CHANCES = 2**18
"""So many are held at once."""
_FARTHEST = 9
"""Of 10^17 sums with random signs not one is so many standard deviations from 0, or farther (Hoeffding, 1963)."""


def wilson(rate: float, n: float, quantile: float = Z) -> tuple[float, float]:
    """The Wilson score interval of a rate in 0..1, low and high (Wilson, 1927).

    `n`: the number of independent trials, or the effective one, above 0. `quantile`: the normal one; that of 95%.
    """
    share = quantile**2 / n
    centre = (rate + share / 2) / (1 + share)
    half = (share * (rate * (1 - rate) + share / 4)) ** 0.5 / (1 + share)
    return min(rate, max(0.0, centre - half)), max(rate, min(1.0, centre + half))


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """The two-sided p-value of a mean of 0, by flipping signs (Fisher, The Design of Experiments, 1935, section 21).

    `differences`: one an independent problem, the sum over all that moves together with it. Under no difference each
    has either sign alike; p is the share of signs under which the sum is farther from 0 than the one observed, and half
    of those under which it is as far (Lancaster's mid-p, JASA 56, 223, 1961): whole numbers tie often, and a test that
    counts all ties rejects too seldom. 1 when all are 0. With one pair a problem it is McNemar's mid-p test (Fagerland,
    Lydersen and Laake, BMC Med. Res. Methodol. 13, 91, 2013).

    The null is stronger than a mean of 0: each difference is distributed symmetrically. Of few and skewed differences
    whose mean is 0 the test rejects too many (`SYMMETRIC`).

    All signs count where the differences are whole numbers, and where 13 or fewer are not 0; of others, which come from
    episodes that were cut short, 9,999 are drawn with `seed`, and the observed ones added. The order of the differences
    changes nothing.
    """
    import numpy as np

    changed = np.sort([d for d in differences if d != 0])
    if not len(changed):
        return 1.0
    if (changed == np.rint(changed)).all() and np.abs(changed).sum() <= REACH:
        return float(sign_flips(changed[None])[0])
    changed = changed / np.abs(changed).max()  # ties are told apart at one scale
    exact = len(changed) <= EXACT
    if exact:
        negative = np.arange(2 ** len(changed))[:, None] >> np.arange(len(changed)) & 1
    else:
        negative = np.random.default_rng(seed).integers(0, 2, (RESAMPLES, len(changed)), dtype=np.int8)
    total = changed.sum()
    beyond = np.abs(total - 2 * (negative @ changed)) - abs(total)
    far = float((beyond > _TIE).sum() + (np.abs(beyond) <= _TIE).sum() / 2)
    return far / len(beyond) if exact else (far + 0.5) / (RESAMPLES + 1)


def sign_flips(differences: np.ndarray) -> np.ndarray:
    """The p-values of `sign_flip` for many studies of as many problems, one a row of whole numbers.

    The sum of numbers d with random signs has the characteristic function prod cos(d t). At as many t as there are
    sums, it gives the chances of all of them, here to 14 digits after the point.
    """
    import numpy as np

    studies = np.abs(differences).astype(np.intp)
    observed = np.abs(np.sum(differences, axis=1))[:, None]
    sizes = np.flatnonzero(np.bincount(studies.ravel()))
    counts = np.stack([np.count_nonzero(studies == size, axis=1) for size in sizes], axis=1).astype(float)
    reach = int(np.minimum(counts @ sizes, np.ceil(_FARTHEST * np.sqrt(counts @ sizes**2))).max())
    sums, points = np.arange(reach + 1), 2 * reach + 1  # an odd number of points, so that no cosine is 0
    cosines = np.cos(2 * np.pi / points * (sizes[:, None] * sums % points))
    negative, logs = (cosines < 0).astype(float), np.log(np.abs(cosines))
    p = np.empty(len(studies))
    rows = _CHANCES // len(sums) + 1
    for start in range(0, len(studies), rows):
        part = slice(start, start + rows)
        characteristic = np.exp(counts[part] @ logs) * (1 - 2 * (counts[part] @ negative % 2))
        chances = np.fft.irfft(characteristic, points)[:, : len(sums)]
        chances[:, 1:] *= 2  # of either sign
        p[part] = (chances * (1 + np.sign(sums - observed[part])) / 2).sum(axis=1)
    least = 0.5 ** np.count_nonzero(studies, axis=1)  # of the observed signs, and all of them turned round
    tested: np.ndarray = np.maximum(np.round(p, _DIGITS), least)
    return tested


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p-values adjusted for many tests, so that the chance of any false one stays at the level (Holm, 1979).

    The i-th smallest of m (i = 0, 1, ...) is multiplied by m - i, never below the one before it, never above 1. In the
    order given. None is no test: it stays, and does not count. Raises ValueError for a value outside 0..1.
    """
    tests = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    if not all(0 <= p <= 1 for p, _ in tests):
        raise ValueError(f"p-values are in 0..1: {list(p_values)}")
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(tests):
        highest = max(highest, min(1.0, (len(tests) - rank) * p))
        adjusted[index] = highest
    return adjusted
