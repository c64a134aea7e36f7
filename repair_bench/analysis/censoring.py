"""Shares of what happened by a time, where some of it was cut short before it could happen.

A fault strikes only an episode that is still unsolved. Leaving it out would take a failure away, and counting it as
unsolved would suppose one: both bend a curve. Kaplan and Meier's estimate (1958) supposes that what was cut short would
have gone on like what had got as far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
