"""A statistical model of problems. The model is fitted to a pilot run, and predicts the variance in a larger study."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from repair_bench.analysis.comparing.pairs import Paired
from repair_bench.analysis.planning.power import Chances, correction
from repair_bench.analysis.rates.clusters import Problem
from repair_bench.analysis.rates.curves import problem, solved_by, solved_shares

if TYPE_CHECKING:
    import numpy as np

PROBLEMS = 512
"""The number of quadrature points that represent the population of problems."""
PILOTS = 24
"""The number of bootstrap resamples of a pilot."""
WIDEST = 8.0
"""The maximum standard deviation in a fitted model, in logits. With this standard deviation, most problems are either
solved in every episode or in none."""
MIN_LUCK = -1.0
"""The minimum value of `luck`. Below this minimum, the probabilities of a win and a loss can sum to more than 1."""
_LOGITS = 60.0
"""The logit at which a probability is rounded to 1."""
_NEARLY = 1 - 1e-15


@dataclass(frozen=True)
class Covariances:
    """Covariances between two different pairs of episodes on the same problem.

    Each pair consists of a baseline episode and an episode of the other side. `sides`: the covariance between two
    indicator variables: whether the baseline episode of one pair fails, and whether the other side's episode of a
    different pair fails. `differences`: the covariance between d in one pair and d in a different pair, where d is the
    difference between the two sides of a pair.
    """

    sides: float
    differences: float


@dataclass(frozen=True)
class FittedProblems:
    """A Rasch model with mixed effects.

    Each problem has an effect x and, for each arm or model, an effect e; all effects are drawn from N(0, 1). The fields
    `ability` and `own` scale these effects. A first answer fails with probability L(a - `ability` * x), where L(y) = 1
    / (1 + exp(-y)) and a is a constant. The repairs of a failed first answer succeed with probability L(b + `ability` *
    x + `own` * e), where L is the logistic function and b is a constant for each side. The value of the constant "a"
    follows from the field `open`, which is the share of pairs whose shared first answer failed. The values of the
    constant "b" follow from the shares of unsolved episodes. For the baseline, this share is the field `unsolved`. For
    the side that is compared with the baseline, this share is `unsolved` minus the difference between the two sides. If
    the two episodes of a pair do not share a first answer, as in comparisons of models, `open` is set to 1.

    `luck`: the share of pairs in which one random draw determines the results of the repairs in both episodes; in all
    other pairs, the results of the repairs are independent. If `luck` is negative, the two episodes have different
    results more often than with independent repairs.
    """

    open: float
    unsolved: float
    ability: float
    own: float
    luck: float

    @property
    def max_difference(self) -> float:
        return self.unsolved

    def chances(self, difference: float) -> Chances:
        import numpy as np

        baseline, other = self._repaired(self.unsolved, 0), self._repaired(self.unsolved - difference, 1)
        won, lost = (1 - baseline) * other, baseline * (1 - other)
        more = other - baseline
        return Chances(
            self._left * (won - self.luck * (won - np.maximum(more, 0))),
            self._left * (lost - self.luck * (lost - np.maximum(-more, 0))),
            np.full(PROBLEMS, 1 / PROBLEMS),
        )

    def covariances(self, difference: float) -> Covariances:
        baseline = self._left * (1 - self._repaired(self.unsolved, 0))
        other = self._left * (1 - self._repaired(self.unsolved - difference, 1))
        sides = (baseline * other).mean() - baseline.mean() * other.mean()
        return Covariances(float(sides), float((baseline - other).var()))

    def _repaired(self, unsolved: float, side: int) -> np.ndarray:
        """Return each problem's probability of a successful repair.

        `side`: 0 for the baseline, 1 for the other side.
        """
        x, *own = _normal()
        logits = self.ability * x + self.own * own[side]
        return _chances(logits, self._left, 1 - unsolved / self.open if self.open else 0.0)

    @property
    def _left(self) -> np.ndarray:
        return _left(self.ability, self.open)


@dataclass(frozen=True)
class PilotMoments:
    """Means and covariances of the results of paired episodes in a pilot run.

    `open`: the share of pairs in which the two episodes could have different results. `unsolved`: the share of pairs in
    which the baseline episode is unsolved. `differ`: the share of pairs in which exactly one episode is solved.
    `samples`: unbiased covariances between different samples of the same task, or None if no task has two samples.
    `twins`: unbiased covariances between different tasks of the same problem, or None if no problem has two tasks.

    `gained`: the observed difference, shrunk towards 0. The observed difference d with variance v is multiplied by
    max(0, 1 - v / d^2) (James and Stein, 1961).
    """

    open: float
    unsolved: float
    gained: float
    differ: float
    samples: Covariances | None
    twins: Covariances | None

    def problems(self, samples: float, twins: float) -> FittedProblems | None:
        """Return the model whose moments match those of the pilot run, or None if required covariances are missing.

        `samples`: the mean number of samples per task. `twins`: the mean number of tasks per problem. Moments that the
        model cannot match exactly are matched as closely as possible.
        """
        if (samples != 1 and self.samples is None) or (twins != 1 and self.twins is None):
            return None
        target = self._mean_covariances(samples - 1, samples * (twins - 1))
        fitted = FittedProblems(self.open, self.unsolved, ability=0.0, own=0.0, luck=0.0)

        def sides(own: float, ability: float) -> float:
            return replace(fitted, ability=ability, own=own).covariances(self.gained).sides - target.sides

        def differences(ability: float, own: float) -> float:
            return replace(fitted, ability=ability, own=own).covariances(self.gained).differences - target.differences

        ability = own = 0.0
        for _ in range(3):  # the parameters are nearly independent, so three passes suffice
            ability = _root(partial(sides, own), 0.0, WIDEST)
            own = _root(partial(differences, ability), 0.0, WIDEST)
        fitted = replace(fitted, ability=ability, own=own)
        by_chance, minimum = (self._differ(replace(fitted, luck=luck)) for luck in (0.0, 1.0))
        luck = (by_chance - self.differ) / max(by_chance - minimum, 1e-9)
        return replace(fitted, luck=min(1.0, max(MIN_LUCK, luck)))

    def _differ(self, fitted: FittedProblems) -> float:
        chances = fitted.chances(self.gained)
        return float((chances.won + chances.lost) @ chances.share)

    def _mean_covariances(self, samples: float, twins: float) -> Covariances:
        parts = [(samples, self.samples), (twins, self.twins)]
        known = [(count or 1e-9, part) for count, part in parts if part is not None]
        every = math.fsum(count for count, _ in known)
        return Covariances(
            math.fsum(count * part.sides for count, part in known) / every if known else 0.0,
            math.fsum(count * part.differences for count, part in known) / every if known else 0.0,
        )


@dataclass(frozen=True)
class Outcome:
    """The results of both episodes in a pair.

    Each result is 0 or 1, or a value between 0 and 1 if the episode is censored. `open`: whether the two results could
    differ. The two results cannot differ if the episodes share a first answer that passed.
    """

    baseline: float
    other: float
    open: bool


class _Sums(NamedTuple):
    """Sums over the pairs of episodes on one problem, used to compute means and covariances."""

    pairs: float
    open: float
    by_baseline: float
    by_other: float
    differ: float
    tasks: float
    of_samples: float
    differences_of_samples: float
    problems: float
    of_twins: float
    differences_of_twins: float


@dataclass(frozen=True)
class PilotSums:
    """For each problem of a pilot run, the number of pairs of episodes and the sums of the episodes' results.

    Further sums add up products of the results of two episodes.

    `sums`: an array of shape (problems, fields of `_Sums`). `left`: an array of shape (problems, 2) with the share of
    unsolved episodes, from 0 to 1, of the baseline and of the other side.
    """

    sums: np.ndarray
    left: np.ndarray

    def moments(self, weights: np.ndarray | None = None) -> PilotMoments | None:
        """Return the means and covariances of the pilot run's results, or None if the run has fewer than two problems.

        `weights`: the number of times that each problem is counted, by default once.
        """
        import numpy as np

        weights = np.ones(len(self.sums)) if weights is None else weights
        if np.count_nonzero(weights) < 2:
            return None
        total = _Sums(*(weights @ self.sums).tolist())
        before, after = total.by_baseline / total.pairs, total.by_other / total.pairs
        shown = before - after
        columns = _Sums(*self.sums.T)
        deviations = columns.by_baseline - columns.by_other - shown * columns.pairs
        problems = float(weights.sum())
        chance = problems / (problems - 1) * float(weights @ deviations**2) / total.pairs**2
        gained = shown * max(0.0, 1 - chance / shown**2) if shown else 0.0
        baseline, other = self.left.T
        sides = _of_two_problems(weights, baseline, other)
        differences = _of_two_problems(weights, baseline - other, baseline - other)

        def covariances(of: float, product: float, product_of_differences: float) -> Covariances | None:
            return Covariances(product / of - sides, product_of_differences / of - differences) if of else None

        return PilotMoments(
            open=total.open / total.pairs,
            unsolved=(before + after + gained) / 2,
            gained=gained,
            differ=total.differ / total.pairs,
            samples=covariances(total.tasks, total.of_samples, total.differences_of_samples),
            twins=covariances(total.problems, total.of_twins, total.differences_of_twins),
        )

    def correction(self, samples: float, twins: float, problems: int) -> float:
        """Return `power.correction` for a planned study. `samples`: the mean number of samples per task. `twins`: the
        mean number of tasks per problem.

        The result is 1 if the covariances that the plan requires cannot be estimated from the pilot run.
        """
        import numpy as np

        n = len(self.sums)
        resamples = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), PILOTS).astype(float)
        pilots = [self.moments(), *map(self.moments, resamples)]
        model, *resampled = [None if pilot is None else pilot.problems(samples, twins) for pilot in pilots]
        if model is None:
            return 1.0
        return correction(model, [one for one in resampled if one is not None], problems, samples * twins)


def of_pilot(paired: Paired, k: int) -> PilotSums | None:
    """Return the sums over all pairs of episodes in a pilot run, for a comparison of FB@k.

    The result is None if there are no pairs or FB@k is unknown.
    """
    before, after = (solved_shares([p[side] for p in paired.pairs], k) for side in (0, 1))
    if not paired.pairs or before is None or after is None:
        return None
    shared = paired.shared
    problems: dict[Problem, dict[tuple[str, str], list[Outcome]]] = {}
    for (a, _), x, y in zip(paired.pairs, before, after, strict=True):
        tasks = problems.setdefault(problem(a), {})
        tasks.setdefault((a.first.task_id, a.first.framework), []).append(
            Outcome(x, y, not (shared and solved_by(a, 0)))
        )
    return of_outcomes([list(tasks.values()) for tasks in problems.values()])


def of_outcomes(problems: Sequence[Sequence[Sequence[Outcome]]]) -> PilotSums:
    """Return the sums over pairs of episodes, which are grouped by problem and, within a problem, by task."""
    import numpy as np

    sums, left = [], []
    for tasks in problems:
        # unsolved by baseline and other: (pairs, 2) per task
        unsolved = [np.array([(1 - pair.baseline, 1 - pair.other) for pair in task]) for task in tasks]
        means = np.array([task.mean(axis=0) for task in unsolved])
        sums.append(_sums(sum(pair.open for task in tasks for pair in task), unsolved, means))
        left.append(means.mean(axis=0))
    return PilotSums(np.array(sums), np.array(left))


def _sums(open_: int, unsolved: Sequence[np.ndarray], means: np.ndarray) -> _Sums:
    import numpy as np

    every = np.concatenate(unsolved)
    sampled, twins = [task for task in unsolved if len(task) > 1], [means] if len(means) > 1 else []
    return _Sums(
        pairs=len(every),
        open=open_,
        by_baseline=math.fsum(every[:, 0]),
        by_other=math.fsum(every[:, 1]),
        differ=math.fsum((every[:, 0] - every[:, 1]) ** 2),
        tasks=len(sampled),
        of_samples=math.fsum(_product(*task.T) for task in sampled),
        differences_of_samples=math.fsum(_product(*[task[:, 0] - task[:, 1]] * 2) for task in sampled),
        problems=len(twins),
        of_twins=math.fsum(_product(*of.T) for of in twins),
        differences_of_twins=math.fsum(_product(*[of[:, 0] - of[:, 1]] * 2) for of in twins),
    )


def _product(x: np.ndarray, y: np.ndarray) -> float:
    """Return the mean of x[i] * y[j] over all i != j."""
    return float((x.sum() * y.sum() - x @ y) / (len(x) * (len(x) - 1)))


def _of_two_problems(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """Return the weighted mean of x[i] * y[j] over all pairs of different problems i and j."""
    both = weights.sum() ** 2 - weights @ weights
    return float(((weights @ x) * (weights @ y) - weights**2 @ (x * y)) / both)


@lru_cache(maxsize=64)
def _left(ability: float, share: float) -> np.ndarray:
    import numpy as np

    return _chances(-ability * _normal()[0], np.ones(PROBLEMS), share)


def _chances(logits: np.ndarray, weights: np.ndarray, mean: float) -> np.ndarray:
    """Shift all logits by the same amount such that the weighted mean of the probabilities is `mean`.

    Return the probabilities.
    """
    import numpy as np
    from scipy.special import expit, logit

    if not 0 < mean < 1:
        return np.full(len(logits), float(mean > 0))
    share, wanted = weights / weights.sum(), logit(mean)

    def beyond(shared: float) -> float:  # nearly linear
        return float(logit(min(expit(shared + logits) @ share, _NEARLY)) - wanted)

    chances: np.ndarray = expit(_root(beyond, -_LOGITS, _LOGITS) + logits)
    return chances


@cache
def _normal() -> np.ndarray:
    """Return the normally distributed effects of all problems, as an array of shape (3, `PROBLEMS`).

    Each problem has one effect x, and one effect e for each of the two sides of a comparison (see `FittedProblems`).
    The effects x and e are computed by applying the normal quantile function to a quasirandom sequence of numbers
    between 0 and 1. The steps of the sequence are 1/r, 1/r^2 and 1/r^3, where r is the root of x^4 = x + 1 (Roberts,
    The Unreasonable Effectiveness of Quasirandom Sequences, 2018).
    """
    import numpy as np
    from scipy.special import ndtri

    steps = 1.2207440846057596 ** -np.arange(1.0, 4.0)
    normal: np.ndarray = ndtri((0.5 + steps[:, None] * np.arange(1, PROBLEMS + 1)) % 1)
    return normal


def _root(increasing: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq

    if increasing(low) >= 0:
        return low
    if increasing(high) <= 0:
        return high
    return float(brentq(increasing, low, high, xtol=1e-4))
