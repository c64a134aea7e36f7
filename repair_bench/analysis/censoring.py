"""Shares of what happened by a time, where some of it was cut short before it could happen.

A fault strikes only an episode that is still unsolved. Leaving it out would take a failure away, and counting it as
unsolved would suppose one: both bend a curve. Kaplan and Meier's estimate (1958) supposes that what was cut short would
have gone on like what had got as far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repair_bench.analysis.intervals import UNSEEN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike


def shares(times: ArrayLike, happened: ArrayLike, by: float) -> np.ndarray | None:
    """One value for each of n things, whose mean is the Kaplan-Meier share of those that happened by the time `by`.

    `times`: when each happened or was last seen, from 0 on; `happened`: which of the two. What was seen at a time and
    had not happened then is at risk at that time. The value of i is 1 or 0 where nothing was cut short, and in general
    F + n dF/dw_i for a weight w_i on i: the infinitesimal jackknife's pseudo-value (Efron, The Jackknife, the Bootstrap
    and Other Resampling Plans, 1982, chapter 6; Andersen, Klein and Rosthoj, Biometrika 90, 15, 2003), so that the
    variance between values, or between clusters of them, is the variance of the share. None when the share is not
    known: nothing is at risk any more, and something had not happened.
    """
    import numpy as np

    time, event = np.asarray(times, float), np.asarray(happened, bool)
    solved = event & (time <= by)
    if not np.any(~event & (time < by)):
        return solved.astype(float)
    steps, deaths = np.unique(time[solved], return_counts=True)
    at_risk = len(time) - np.searchsorted(np.sort(time), steps)
    left = np.prod(1 - deaths / at_risk)
    if left == 0:
        return np.ones(len(time))
    if not np.any(time >= by):
        return None
    after = 1 / (at_risk * (1 - deaths / at_risk))
    ran = np.concatenate([[0.0], np.cumsum(deaths / at_risk * after)])  # the hazard met by the end of each step
    met = ran[np.searchsorted(steps, np.minimum(time, by), side="right")]
    gained = np.zeros(len(time))
    gained[solved] = after[np.searchsorted(steps, time[solved])]
    values: np.ndarray = 1 - left + len(time) * left * (gained - met)
    return values


def worth(times: ArrayLike, happened: ArrayLike, by: float) -> float:
    """How many values of which none was cut short say as much as the n of `shares`, each by itself: in 0..n.

    S (1 - S) / V for the share S left, with Greenwood's variance V (Dorey and Korn, Statistics in Medicine 6, 679,
    1987), and n where nothing was cut short. Few may still be at risk in the end, and nothing but luck says that the
    next would have gone on like them: S and V are those of the n and of `UNSEEN` of one more to which it happens at the
    time `by`, and as much of one to which it never does.
    """
    import numpy as np

    time, event = np.asarray(times, float), np.asarray(happened, bool)
    if not np.any(~event & (time < by)):
        return float(len(time))
    steps, counts = np.unique(np.append(time[event & (time <= by)], by), return_counts=True)
    deaths = counts - np.where(steps == by, 1 - UNSEEN, 0)
    at_risk = len(time) - np.searchsorted(np.sort(time), steps) + 2 * UNSEEN
    left = np.prod(1 - deaths / at_risk)
    greenwood = left**2 * np.sum(deaths / (at_risk * (at_risk - deaths)))
    return min(float(len(time)), float(left * (1 - left) / greenwood))
