"""The estimate of the horizon by maximum penalised likelihood, with profile-likelihood intervals.

A program solves an instance of size n with probability (1 - l) / (1 + exp(-b (log2 H + s u - log2 n))). Here, H is the
horizon, b the slope per octave (factor of 2), and s the spread between programs in octaves. The lapse rate l is the
probability of a failure that does not depend on the size. The random effect u of a program is standard normal. The
random effect u is the sum of a part that is individual to the program and a part that is common to all programs of a
task. The common part exists because all programs of a task are run on the same instances.

Penalties keep two estimates away from 0 (Chung et al., Psychometrika 78, 685, 2013): the spread s, and the share of the
variance of u that is due to the common part. Without the penalties, the intervals would be too narrow if a few programs
had similar results by chance. The lapse rate l has an upper limit (Wichmann and Hill, Perception & Psychophysics 63,
1293, 2001). `benchmarks/horizon.py` chose the constants.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from repair_bench.analysis.rates.statistics import student

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float64]]
    Whole = np.ndarray[Any, np.dtype[np.intp]]

MARGIN = 1.0
"""The maximum number of octaves (factors of 2) by which an estimated horizon may lie outside the range of task
sizes."""
SLOPES = (0.5, 60.0)
SLOPE = (10.0, 1.0)
"""The parameters of the slope's weak lognormal prior: the median of the slope, and the standard deviation of its
logarithm."""
MIN_SPREAD, MAX_SPREAD = 1e-3, 1.0
SPREAD = (0.5, 0.3)
"""The exponent a and the scale t of the penalty s^a exp(-s / t), by which the likelihood is multiplied. The factor s^a
keeps the estimate of the spread s away from 0. The factor exp(-s / t) keeps it small unless the programs show the
opposite: if each size has one program that solves all instances or none, a large spread explains the results as well as
a steep slope."""
COMMON_PENALTY = 1.0
"""The exponent of the penalty c^`COMMON_PENALTY`, by which the likelihood is multiplied. The square c^2 is the share of
the variance of the random effect u that is due to the part common to all programs of a task. The penalty keeps the
estimate of c away from 0, because a few tasks can show similar results by chance."""
MAX_LAPSE = 0.1
STARTS = ((5.0, 0.1), (20.0, 0.25))
"""Pairs of a slope and a spread from which the maximisation starts. The best result of all starts is used, because the
likelihood can have several local maxima."""
TOLERANCE = 2e-3
PRECISION = 0.01
"""The search for an end of the interval stops in two cases: the end is known to within `TOLERANCE` octaves, or the
square root of the deviance is within `PRECISION` of its target."""


@dataclass(frozen=True, slots=True)
class Program:
    """The number of hidden instances that a program solved.

    `task`: the program's task; all programs for a task ran on the same instances. `arm`: 0 for the baseline, 1 for the
    other arm. `weight`: the factor by which the program's log likelihood is multiplied, at most 1.
    """

    size: int
    solved: int
    instances: int
    task: Hashable
    arm: int = 0
    weight: float = 1.0


@dataclass(frozen=True)
class Estimate:
    """A horizon or a ratio of two horizons, with its 95% interval.

    A value is None if a horizon would lie more than `MARGIN` octaves (factors of 2) outside the range of task sizes.
    """

    value: float | None
    low: float | None
    high: float | None

    def to_json(self) -> dict[str, float | None]:
        return {"estimate": self.value, "low": self.low, "high": self.high}


@lru_cache(maxsize=4096)
def estimate(programs: tuple[Program, ...]) -> Estimate:
    """Return the horizon; with two arms, return the horizon of arm 1 divided by the horizon of arm 0.

    The horizon is the size at which a program without lapses (failures that do not depend on the size) solves half of
    the instances. Arms have the same slope, spread and lapse rate.
    """
    return Fit(programs).estimate()


class Fit:
    """A fit of all parameters by maximum penalised likelihood. `deviance` repeats the fit with a fixed horizon, or with
    a fixed ratio of two horizons.

    `threshold`: the maximum deviance in the confidence interval, the square of the two-sided 95% quantile of Student's
    distribution. For a ratio of horizons, it has n - 1 degrees of freedom for n programs per arm. The part of the
    random effects that is common to all programs of a task cancels in a ratio. For a horizon, it has 4n degrees of
    freedom, because the penalties also limit the spread; this number was chosen with `benchmarks/horizon.py`.
    """

    def __init__(self, programs: Sequence[Program]) -> None:
        import numpy as np

        sizes = [one.size for one in programs]
        self._likelihood = _Likelihood(programs)
        arms = self._likelihood.arms
        fewest = min(Counter(one.arm for one in programs).values())
        degrees = fewest - 1 if arms > 1 else 4 * fewest
        self.threshold = student(degrees + 1) ** 2 if degrees else math.inf
        self._range = math.log2(min(sizes)) - MARGIN, math.log2(max(sizes)) + MARGIN
        slopes = math.log(SLOPES[0]), math.log(SLOPES[1])
        limits = [slopes, (math.log(MIN_SPREAD), math.log(MAX_SPREAD)), (0.0, MAX_LAPSE), (1e-3, math.pi / 2)]
        self._limits = limits if self._likelihood.shares else limits[:-1]
        found = []
        for slope, spread in STARTS:
            rest = [math.log(slope), math.log(spread), 0.02, math.pi / 4][: len(self._limits)]
            horizons = np.linspace(*self._range, 13)
            start = min(horizons, key=lambda at: self._likelihood(np.array([at] * arms + rest))[0])
            found.append(self._maximum(np.array([start] * arms + rest)))
        self._best, self._at = min(found, key=lambda one: one[0])

    @property
    def value(self) -> float:
        """The base-2 logarithm of the horizon or of the ratio of two horizons."""
        return float(self._at[0] if self._likelihood.arms == 1 else self._at[1] - self._at[0])

    def deviance(self, value: float) -> float:
        """Return twice the difference between the maximum log likelihood and the log likelihood at a fixed `value`."""
        return self._deviance(value, self._at)[0]

    def estimate(self) -> Estimate:
        """Return the horizon or the ratio of horizons, with the range in which the deviance is at most `threshold`."""
        low, high = self._range
        inside = all(low + TOLERANCE < at < high - TOLERANCE for at in self._at[: self._likelihood.arms])
        ends = (low, high) if self._likelihood.arms == 1 else (low - high, high - low)
        below, above = map(self._end, ends)
        return Estimate(2**self.value if inside else None, below, above)

    def _end(self, end: float) -> float | None:
        """Return the confidence limit between the estimate and `end`, or None if the deviance does not exceed
        `threshold` up to `end`.
        """
        wanted = math.sqrt(self.threshold)
        near, at, root, step = self.value, self._at, 0.0, math.copysign(0.05, end - self.value)
        while near != end:
            far = near + step if abs(step) < abs(end - near) else end
            deviance, there = self._deviance(far, at)
            if deviance > self.threshold:
                return 2 ** self._crossing(near, root, far, math.sqrt(deviance), wanted, at)
            near, at, root, step = far, there, math.sqrt(max(0.0, deviance)), 1.6 * step
        return None

    def _crossing(self, near: float, low: float, far: float, high: float, wanted: float, at: Array) -> float:
        """Return a value between `near` and `far` for which the square root of the deviance is `wanted`.

        `low` and `high` are the square roots of the deviance at `near` and at `far`. Each step of the search
        interpolates linearly, but stays at least a tenth of the interval away from `near` and `far`.
        """
        while abs(far - near) > TOLERANCE:
            share = min(0.9, max(0.1, (wanted - low) / (high - low)))
            middle = near + share * (far - near)
            deviance, at = self._deviance(middle, at)
            root = math.sqrt(max(0.0, deviance))
            if abs(root - wanted) < PRECISION:
                return middle
            if root > wanted:
                far, high = middle, root
            else:
                near, low = middle, root
        return far

    def _deviance(self, value: float, start: Array) -> tuple[float, Array]:
        least, at = self._maximum(start, value)
        return 2 * (least - self._best), at

    def _maximum(self, start: Array, fixed: float | None = None) -> tuple[float, Array]:
        """Return the minimum of the negative log likelihood and the parameters at the minimum. `fixed`: see `value`."""
        import numpy as np
        from scipy.optimize import minimize

        arms, (low, high) = self._likelihood.arms, self._range
        free = np.eye(len(start))  # maps the free parameters to all parameters
        shift = np.zeros(len(start))
        centres = [(low, high)] * arms
        if fixed is not None:
            shift[arms - 1] = fixed
            free = np.delete(free, arms - 1, axis=1)
            free[arms - 1, 0] = arms - 1
            centres = [(max(low, low - fixed), min(high, high - fixed))] * (arms - 1)
        limits = np.array(centres + self._limits)
        x = np.delete(start, arms - 1) if fixed is not None else start

        def objective(x: Array) -> tuple[float, Array]:
            loss, gradient = self._likelihood(free @ x + shift)
            return loss, gradient @ free

        found = minimize(
            objective, np.clip(x, *limits.T), jac=True, method="L-BFGS-B", bounds=limits, options={"ftol": 1e-8}
        )
        return float(found.fun), free @ found.x + shift


class _Likelihood:
    """The negative penalised log likelihood of the parameters, given the programs' results, and its gradient.

    The parameters are the base-2 logarithm of each arm's horizon, the logarithm of the slope, the logarithm of the
    spread, and the lapse rate. If any task has several programs, there is one more parameter, an angle a. The square
    sin(a)^2 is the share of the variance of the random effect u that is due to the part common to all programs of a
    task.
    """

    def __init__(self, programs: Sequence[Program]) -> None:
        import numpy as np

        counts = Counter(programs)  # equal programs are computed once
        rows = sorted(counts, key=lambda one: (str(one.task), one.arm, one.size))
        tasks, cells = [str(one.task) for one in rows], [(str(one.task), one.arm, one.size) for one in rows]
        self._tasks, self._task = _runs(tasks)
        self._cells, self._cell = _runs(cells)
        self._arm = np.array([rows[n].arm for n in self._cells])
        self._size = np.log2([float(rows[n].size) for n in self._cells])[:, None, None]
        columns = ((counts[one] * one.weight, one.solved, one.instances - one.solved) for one in rows)
        self._count, self._solved, self._failed = np.array([*columns], dtype=float).T[:, :, None, None]
        self.arms = int(self._arm.max()) + 1
        self.shares = len(self._tasks) < len(programs)
        self._own, self._own_weights = _nodes(13 if self.shares else 33)
        self._common, self._common_weights = _nodes(21 if self.shares else 1)

    def __call__(self, values: Array) -> tuple[float, Array]:
        """Return the negative log likelihood and its gradient."""
        import numpy as np

        arms, of_slope, of_spread, of_lapse = self.arms, *range(self.arms, self.arms + 3)
        slope, spread, lapse = math.exp(values[of_slope]), math.exp(values[of_spread]), values[of_lapse]
        angle = values[-1] if self.shares else 0.0
        sine, cosine = math.sin(angle), math.cos(angle)
        common, own = self._common[:, None], self._own
        effect = sine * common + cosine * own  # by node of the common part, and node of the own part
        logit = slope * (values[self._arm][:, None, None] - self._size + spread * effect)
        rate = 0.5 * (1 + np.tanh(logit / 2))
        chance = np.clip((1 - lapse) * rate, 1e-12, 1 - 1e-12)
        of_solved, of_failed = np.log(chance)[self._cell], np.log1p(-chance)[self._cell]
        weighted = np.exp(self._solved * of_solved + self._failed * of_failed) * self._own_weights
        each = np.maximum(weighted.sum(axis=2), 1e-290)
        joint = np.add.reduceat(self._count[:, :, 0] * np.log(each), self._tasks) + np.log(self._common_weights)
        top = joint.max(axis=1, keepdims=True)
        shares = np.exp(joint - top)
        total = shares.sum(axis=1, keepdims=True)
        posterior = weighted * (self._count[:, :, 0] * (shares / total)[self._task] / each)[:, :, None]
        solved, failed = (np.add.reduceat(posterior * x, self._cells) for x in (self._solved, self._failed))
        by_chance = solved / chance - failed / (1 - chance)
        by_logit = by_chance * (1 - lapse) * rate * (1 - rate)

        gradient = np.zeros(len(values))
        gradient[:arms] = np.bincount(self._arm, slope * by_logit.sum(axis=(1, 2)), arms)
        deviation = (values[of_slope] - math.log(SLOPE[0])) / SLOPE[1]
        gradient[of_slope] = (by_logit * logit).sum() - deviation / SLOPE[1]
        gradient[of_spread] = slope * spread * (by_logit * effect).sum() + SPREAD[0] - spread / SPREAD[1]
        gradient[of_lapse] = -(by_chance * rate).sum()
        log = float((top + np.log(total)).sum()) - deviation**2 / 2
        log += SPREAD[0] * values[of_spread] - spread / SPREAD[1]
        if self.shares:
            turned = (by_logit * (cosine * common - sine * own)).sum()
            gradient[-1] = slope * spread * turned + COMMON_PENALTY * cosine / sine
            log += COMMON_PENALTY * math.log(sine)
        return -log, -gradient


def _runs(keys: Sequence[Hashable]) -> tuple[Whole, Whole]:
    """Group equal adjacent keys.

    Return the index at which each group starts, and the number of the group to which each key belongs.
    """
    import numpy as np

    first = np.array([n == 0 or keys[n] != keys[n - 1] for n in range(len(keys))])
    return np.flatnonzero(first), np.cumsum(first) - 1


@lru_cache
def _nodes(n: int) -> tuple[Array, Array]:
    """Return nodes and weights for the mean over a standard normal variable, by the trapezoidal rule."""
    import numpy as np

    x = np.linspace(-3.2, 3.2, n) if n > 1 else np.zeros(1)
    weights = np.exp(-(x**2) / 2)
    return x, weights / weights.sum()
