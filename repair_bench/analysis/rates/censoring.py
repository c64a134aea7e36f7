"""Kaplan-Meier estimates (1958) from weighted, censored values, assuming non-informative censoring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repair_bench.analysis.rates.intervals import UNSEEN, kish

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

_NONE = 1e-12
"""Shares below this value are rounding errors and are treated as 0."""


def shares(times: ArrayLike, happened: ArrayLike, weights: ArrayLike, by: float) -> np.ndarray | None:
    """Return values whose weighted mean estimates the share of entries with an event up to time `by`.

    There is one value for each entry of `times`, and its weight is the corresponding entry of `weights`. The weighted
    mean is the Kaplan-Meier estimate of the share.

    `times`: nonnegative times of events or of censoring. `happened`: for each entry of `times`, whether the entry is
    the time of an event, not of censoring. A censored entry still counts as at risk at the time of its censoring.
    Without censoring, each returned value is 0 or 1. With censoring, the returned values are the pseudo-values of the
    infinitesimal jackknife (Efron, 1982, chapter 6; Andersen, Klein and Rosthoj, Biometrika 90, 15, 2003). The
    pseudo-values are F + W dF/dw_i, where F is the estimate, w_i are the weights and W is the total weight. The result
    is None if the share is unknown.
    """
    import numpy as np

    time, event, weight = np.asarray(times, float), np.asarray(happened, bool), np.asarray(weights, float)
    solved = event & (time <= by)
    if not np.any(~event & (time < by)):
        return solved.astype(float)
    steps, deaths, at_risk = _steps(time, solved, weight)
    left = np.prod(1 - deaths / at_risk)
    if left < _NONE:
        return np.ones(len(time))
    if not np.any(time >= by):
        return None
    after = 1 / (at_risk * (1 - deaths / at_risk))
    ran = np.concatenate([[0.0], np.cumsum(deaths / at_risk * after)])  # cumulative hazard at the end of each step
    met = ran[np.searchsorted(steps, np.minimum(time, by), side="right")]
    gained = np.zeros(len(time))
    gained[solved] = after[np.searchsorted(steps, time[solved])]
    values: np.ndarray = 1 - left + weight.sum() * left * (gained - met)
    return values


def effective_number(times: ArrayLike, happened: ArrayLike, weights: ArrayLike, by: float) -> float:
    """Return the effective sample size of the estimate that the function `shares` returns.

    Without censoring, the result is Kish's effective sample size. With censoring, the result is at most S (1 - S) / V,
    where V is Greenwood's variance of the survival S (Dorey and Korn, Statistics in Medicine 6, 679, 1987). Two entries
    of weight `UNSEEN` are added before S and V are computed: one entry with an event at time `by`, and one entry
    without an event. These entries are needed because the number of other entries still at risk at time `by` may be
    very small.
    """
    import numpy as np

    time, event, weight = np.asarray(times, float), np.asarray(happened, bool), np.asarray(weights, float)
    equal = kish(weight.tolist())
    if not np.any(~event & (time < by)):
        return equal
    _, deaths, at_risk = _steps(
        np.concatenate([time, [by, np.inf]]),
        np.concatenate([event & (time <= by), [True, False]]),
        np.concatenate([weight * equal / weight.sum(), [UNSEEN, UNSEEN]]),
    )
    left = np.prod(1 - deaths / at_risk)
    greenwood = left**2 * np.sum(deaths / (at_risk * (at_risk - deaths)))
    return min(equal, float(left * (1 - left) / greenwood))


def _steps(time: np.ndarray, solved: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return three arrays: the distinct event times, the total weight of the events at each event time, and the total
    weight of the entries that are at risk at each event time.
    """
    import numpy as np

    steps, place = np.unique(time[solved], return_inverse=True)
    order = np.argsort(time, kind="stable")
    before = np.concatenate([[0.0], np.cumsum(weight[order])])
    at_risk = before[-1] - before[np.searchsorted(time[order], steps)]
    return steps, np.bincount(place, weights=weight[solved], minlength=len(steps)), at_risk
