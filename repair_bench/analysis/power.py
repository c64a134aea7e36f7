"""The smallest difference in FB@k that a comparison would find, before it is paid for.

What decides is the sign-flip test over problems (`pairs.p_value`). With C problems it rejects about when Student's t of
their differences is above z sqrt((C - 1) / (C - z^2)), for z the normal quantile of the level; t then follows the
noncentral distribution. All that is needed beside C is the variance of a problem's difference: from a pilot run, or
from a model of problems with stated rates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from repair_bench.analysis.curves import problem, solved_by, solved_shares
from repair_bench.analysis.pairs import Paired
from repair_bench.analysis.statistics import FEWEST

POWER = 0.8
LEVEL = 0.05
MORE = 0.1
"""The part of its budget by which a study is made larger, to see what that buys."""


class Variation(Protocol):
    """How the difference of one problem varies. Differences are the other's FB@k minus the baseline's, 0 or above."""

    @property
    def most(self) -> float:
        """The largest difference that there can be, in 0..1."""
        raise NotImplementedError

    def variance(self, difference: float, samples: float, twins: float) -> float | None:
        """The variance between problems of the mean difference of one: `samples` of each of its `twins`, the tasks that
        it is in other frameworks. None where it is not known.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class StatedRates:
    """A model of problems. A first answer to a problem passes with a chance p, and the repairs of one that failed solve
    it with a chance r, of each arm or model its own. p, and r given p, are drawn from Beta distributions with the means
    `first` and `repaired` (the baseline's; the other's is as much higher as it takes) and the intraclass correlation
    `alike`: their variance is alike * mean * (1 - mean), so that 0 is problems that are all the same and 1 such as are
    always or never solved. Pairs of one problem are independent given p and r; its twins in other frameworks have the
    same.

    `shared`: whether the two of a pair have the same first answer. Two models without repairs are `repaired` = 0. All
    in 0..1.
    """

    first: float
    repaired: float
    alike: float
    shared: bool

    @property
    def most(self) -> float:
        return (1 - self.first) * (1 - self.repaired)

    def variance(self, difference: float, samples: float, twins: float) -> float:
        failing, before = 1 - self.first, self.repaired
        after = before + difference / failing
        both = failing**2 + self.alike * self.first * failing  # the mean of (1 - p)^2
        if self.shared:
            differ = failing * (before * (1 - after) + after * (1 - before))
        else:
            differ = failing * (2 - before - after) - 2 * both * (1 - before) * (1 - after)
        apart = self.alike * (before * (1 - before) + after * (1 - after))
        between = both * ((after - before) ** 2 + apart) - difference**2
        return between + (differ - difference**2 - between) / (samples * twins)


@dataclass(frozen=True)
class PilotVariation:
    """What a pilot run says of a comparison. `differ`: the share of pairs of which one alone was solved; `gained`: the
    difference; `solved`: the share that the baseline solved of the pairs that could differ; `left`: the share of all
    pairs that it did not solve. `between_samples`, `between_twins`: the covariance of the differences of two samples of
    one task, and of two tasks of one problem; None where the pilot has no two. They are without bias: mean products of
    different pairs of a problem, less those of different problems.
    """

    differ: float
    gained: float
    solved: float
    left: float
    between_samples: float | None
    between_twins: float | None

    @property
    def most(self) -> float:
        return self.left

    def variance(self, difference: float, samples: float, twins: float) -> float | None:
        if (samples != 1 and self.between_samples is None) or (twins != 1 and self.between_twins is None):
            return None
        differ = self.differ + (difference - self.gained) * (1 - 2 * self.solved)
        one = max(differ, difference) - difference**2
        alike = (samples - 1) * (self.between_samples or 0.0) + samples * (twins - 1) * (self.between_twins or 0.0)
        return (one + max(alike, 0.0)) / (samples * twins)


@dataclass(frozen=True)
class Outcome:
    """What came of one pair, each 0 or 1, or a value between for one that was cut short. `open`: whether it could
    differ: first answers that are shared and passed cannot.
    """

    baseline: float
    other: float
    open: bool


def of_pilot(paired: Paired, k: int) -> PilotVariation | None:
    """What the pairs of a pilot say of a comparison in FB@k.

    None of fewer than two problems, or where FB@k is unknown.
    """
    before, after = (solved_shares([p[side] for p in paired.pairs], k) for side in (0, 1))
    if before is None or after is None:
        return None
    shared = paired.shared
    problems: dict[tuple[str, str], dict[str, list[Outcome]]] = {}
    for (a, _), x, y in zip(paired.pairs, before, after, strict=True):
        tasks = problems.setdefault(problem(a), {})
        tasks.setdefault(a.first.framework, []).append(Outcome(x, y, not (shared and solved_by(a, 0))))
    return of_outcomes([list(tasks.values()) for tasks in problems.values()])


def of_outcomes(problems: Sequence[Sequence[Sequence[Outcome]]]) -> PilotVariation | None:
    """The same, from the pairs of each task of each problem."""
    if len(problems) < 2:
        return None
    pairs = [pair for tasks in problems for task in tasks for pair in task]
    able = [pair for pair in pairs if pair.open]
    made = [[[pair.other - pair.baseline for pair in task] for task in tasks] for tasks in problems]
    means = [[_mean(task) for task in tasks] for tasks in made]
    square = _products([_mean(tasks) for tasks in means]) or 0.0
    samples = [value for tasks in made for task in tasks if (value := _products(task)) is not None]
    twins = [value for tasks in means if (value := _products(tasks)) is not None]
    return PilotVariation(
        differ=_mean([(pair.other - pair.baseline) ** 2 for pair in pairs]),
        gained=_mean([pair.other - pair.baseline for pair in pairs]),
        solved=_mean([pair.baseline for pair in able]) if able else 0.0,
        left=1 - _mean([pair.baseline for pair in pairs]),
        between_samples=_mean(samples) - square if samples else None,
        between_twins=_mean(twins) - square if twins else None,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _products(values: Sequence[float]) -> float | None:
    """The mean product of two different values; None of one."""
    n = len(values)
    return (math.fsum(values) ** 2 - math.fsum(v * v for v in values)) / (n * (n - 1)) if n > 1 else None


def power(difference: float, variance: float, problems: int, level: float = LEVEL) -> float:
    """The chance that a difference is found, in 0..1. `variance`: of one problem's mean difference."""
    from scipy.special import nctdtr, ndtri

    z2 = float(ndtri(1 - level / 2)) ** 2
    if problems < FEWEST or problems <= z2:
        return 0.0
    found_from = math.sqrt((problems - 1) * z2 / (problems - z2))
    apart = difference * math.sqrt(problems / max(variance, 1e-12))
    return 1.0 if apart > 30 else float(1 - nctdtr(problems - 1, apart, found_from))  # far out it has no digits


def detectable_difference(
    variation: Variation, problems: int, samples: float, twins: float = 1.0, level: float = LEVEL
) -> float | None:
    """The smallest difference in FB@k, in 0..1, that is found with a power of 80%.

    `samples`: of each task, and `twins`: tasks of each problem, one a framework, both on average. None where the
    variation does not say, or where no difference that there can be is found so often.
    """
    from scipy.optimize import brentq

    def lacking(difference: float) -> float:
        variance = variation.variance(difference, samples, twins)
        return math.nan if variance is None else power(difference, variance, problems, level) - POWER

    if not lacking(variation.most) >= 0:
        return None
    return float(brentq(lacking, 0.0, variation.most, xtol=1e-5))
