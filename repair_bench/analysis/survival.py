"""How long episodes stay unsolved: hazard and survival by attempt, with censoring.

An episode that a fault, a budget or a kill stopped is censored at its last known attempt, as in every rate.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repair_bench.analysis.metrics import Episode, counted

if TYPE_CHECKING:
    from scipy.stats import CensoredData


@dataclass(frozen=True)
class Risk:
    """One attempt of the life table. `at_risk`: episodes that made it; `solved`: those it solved; `censored`: those
    unsolved and seen no further. `unsolved`: the Kaplan-Meier share still unsolved after it, with a 95% interval, whose
    ends are None where the share is 0 or 1.
    """

    attempt: int
    at_risk: int
    solved: int
    censored: int
    unsolved: float
    low: float | None
    high: float | None

    @property
    def hazard(self) -> float:
        """P(solved at this attempt | unsolved before it), in 0..1."""
        return self.solved / self.at_risk


def life_table(episodes: Iterable[Episode], repairs: int) -> list[Risk]:
    """One row for each attempt up to `repairs` that an episode made.

    The share unsolved after attempt a is the product over j <= a of 1 - d_j / n_j, for d_j solved of n_j at risk
    (Kaplan and Meier, 1958); its interval is Greenwood's on the log-log scale, which takes episodes as independent.
    """
    from scipy.stats import ecdf

    times = _times(episodes, repairs)
    if not times:
        return []
    steps = ecdf(_censored(times)).sf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the interval of a share of 0 or 1 is not defined
        interval = steps.confidence_interval(0.95, method="log-log")
    rows = []
    for attempt in range(max(time for time, _ in times) + 1):
        here = [solved for time, solved in times if time == attempt]
        unsolved = float(steps.evaluate(attempt))
        low, high = (float(bound.evaluate(attempt)) for bound in (interval.low, interval.high))
        known = 0 < unsolved < 1 and not math.isnan(low + high)
        bounds = (low, high) if known else (None, None)
        at_risk = sum(time >= attempt for time, _ in times)
        rows.append(Risk(attempt, at_risk, sum(here), len(here) - sum(here), unsolved, *bounds))
    return rows


def _censored(times: list[tuple[int, bool]]) -> CensoredData:
    from scipy.stats import CensoredData

    return CensoredData(uncensored=[t for t, solved in times if solved], right=[t for t, solved in times if not solved])


def _times(episodes: Iterable[Episode], repairs: int) -> list[tuple[int, bool]]:
    """The last attempt that was seen of each episode, and whether it passed."""
    times = []
    for episode in counted(episodes, 0):
        last = episode.unsolved_to if episode.solved_at is None else episode.solved_at
        times.append((int(min(last, repairs)), episode.solved_at is not None and last <= repairs))
    return times
