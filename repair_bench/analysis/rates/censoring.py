"""Shares of what happened by a time, where some of it was cut short before it could happen.

A fault strikes only an episode that is still unsolved. Leaving it out would take a failure away, and counting it as
unsolved would suppose one: both bend a curve. Kaplan and Meier's estimate (1958) supposes that what was cut short would
have gone on like what had got as far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repair_bench.analysis.rates.intervals import UNSEEN, kish

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

_NONE = 1e-12
"""A share below this is 0, apart from rounding."""


def shares(times: ArrayLike, happened: ArrayLike, weights: ArrayLike, by: float) -> np.ndarray | None:
    """One value for each of n things; their weighted mean is the Kaplan-Meier share of what happened by the time `by`.

    `times`: when each happened or was last seen, from 0 on; `happened`: which of the two. What was seen at a time and
    had not happened then is at risk at that time. The value of i is 1 or 0 where nothing was cut short. In general it
    is F + W dF/dw_i for the weight w_i of i and the sum W of the weights: the infinitesimal jackknife's pseudo-value
    (Efron, The Jackknife, the Bootstrap and Other Resampling Plans, 1982, chapter 6; Andersen, Klein and Rosthoj,
    Biometrika 90, 15, 2003), so that the variance between values, or between clusters of them, is the variance of the
    share. None when the share is not known: nothing is at risk any more, and something had not happened.
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
    ran = np.concatenate([[0.0], np.cumsum(deaths / at_risk * after)])  # the hazard met by the end of each step
    met = ran[np.searchsorted(steps, np.minimum(time, by), side="right")]
    gained = np.zeros(len(time))
    gained[solved] = after[np.searchsorted(steps, time[solved])]
    values: np.ndarray = 1 - left + weight.sum() * left * (gained - met)
    return values


def worth(times: ArrayLike, happened: ArrayLike, weights: ArrayLike, by: float) -> float:
    """How many values of equal weight, none of them cut short, say as much as those of `shares` say by themselves.

    Kish's number (`intervals.kish`) where nothing was cut short. Otherwise at most S (1 - S) / V for the share S left,
    with Greenwood's variance V, the weights scaled to that number (Dorey and Korn, Statistics in Medicine 6, 679, 1987;
    Xie and Liu, ibid. 24, 3089, 2005). Few may still be at risk in the end, and only luck says that the next would
    have gone on like them: S and V are those of the things and of `UNSEEN` of one more to which it happens at the time
    `by`, and as much of one to which it never does.
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
    """The times at which it happened, and the weight to which it happened and that was at risk at each."""
    import numpy as np

    steps, place = np.unique(time[solved], return_inverse=True)
    order = np.argsort(time, kind="stable")
    before = np.concatenate([[0.0], np.cumsum(weight[order])])
    at_risk = before[-1] - before[np.searchsorted(time[order], steps)]
    return steps, np.bincount(place, weights=weight[solved], minlength=len(steps)), at_risk
