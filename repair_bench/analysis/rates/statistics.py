"""Wilson's interval, a sign-flip test and a correction for multiple testing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Z = 1.959963984540054
"""The two-sided 95% quantile of the normal distribution."""
EXACT = 13
"""The maximum number of non-integer differences for which all sign assignments (8,192) are enumerated."""
RESAMPLES = 9_999
MIN_DIFFERING = 5
"""A p-value below 0.05 requires at least this many nonzero differences: with n differences, no p-value is below
2^-n."""
SYMMETRIC = 20
"""With fewer nonzero differences than this, reports warn that skewed effects increase the error rate."""
REACH = 200_000
"""For integer differences, the exact p-value is computed if their absolute values add up to at most this number."""
_TIE = 1e-9
_DIGITS = 14
_CHANCES = 2**18
"""The maximum number of probabilities kept in memory at once."""
_FARTHEST = 9
"""The probability that a sum with random signs exceeds this many standard deviations is below 1e-17 (Hoeffding,
1963)."""


def student(n: float) -> float:
    """Return Student's two-sided 95% quantile for a variance that is estimated from n values."""
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 0.975))


def wilson(rate: float, n: float, quantile: float = Z) -> tuple[float, float]:
    """Return the Wilson score interval for a rate in 0..1 (Wilson, 1927). `n`: the effective number of trials."""
    share = quantile**2 / n
    centre = (rate + share / 2) / (1 + share)
    half = (share * (rate * (1 - rate) + share / 4)) ** 0.5 / (1 + share)
    return min(rate, max(0.0, centre - half)), max(rate, min(1.0, centre + half))


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """Return the two-sided mid-p value of the sign-flip test for symmetry about 0 (Fisher, 1935, section 21).

    `differences`: one sum per independent problem. The p-value is the share of sign assignments with a larger absolute
    sum, plus half the share with an equal absolute sum (Lancaster, JASA 56, 223, 1961). The p-value is 1 if all
    differences are 0. With one pair per problem, the test is McNemar's mid-p test (Fagerland, Lydersen and Laake, BMC
    Medical Research Methodology 13, 91, 2013). If there are few differences and their distribution is skewed, the test
    rejects the null hypothesis too often (see `SYMMETRIC`).

    The p-value is exact if at most `EXACT` differences are nonzero, or if all differences are integers whose absolute
    values add up to at most `REACH`. Otherwise, the p-value is estimated from 9,999 random sign assignments, drawn with
    `seed`. The p-value does not depend on the order of the differences.
    """
    import numpy as np

    changed = np.sort([d for d in differences if d != 0])
    if not len(changed):
        return 1.0
    if (changed == np.rint(changed)).all() and np.abs(changed).sum() <= REACH:
        return float(sign_flips(changed[None])[0])
    changed = changed / np.abs(changed).max()  # a common scale, so that ties are detected
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
    """Return the p-values of `sign_flip` for many studies, given integer `differences` of shape (studies, problems).

    The distribution of the sum is computed to 14 digits, as the inverse Fourier transform of the characteristic
    function prod cos(d t).
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
        chances[:, 1:] *= 2  # both signs
        p[part] = (chances * (1 + np.sign(sums - observed[part])) / 2).sum(axis=1)
    minimum = 0.5 ** np.count_nonzero(studies, axis=1)  # the observed signs and their negation
    tested: np.ndarray = np.maximum(np.round(p, _DIGITS), minimum)
    return tested


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p-values for multiple testing (Holm, 1979), and return them in the same order.

    A p-value of None is not counted as a test. Raises ValueError for a p-value outside 0..1.
    """
    tests = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    if not all(0 <= p <= 1 for p, _ in tests):
        raise ValueError(f"p-values must be between 0 and 1: {list(p_values)}")
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(tests):
        highest = max(highest, min(1.0, (len(tests) - rank) * p))
        adjusted[index] = highest
    return adjusted
