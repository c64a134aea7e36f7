"""What a pilot run says of how a larger study would vary: a model of problems that is fitted to its pairs."""

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
"""So many stand for all that may be drawn."""
PILOTS = 24
"""So many are drawn from a pilot, to see how those vary."""
WIDEST = 8.0
"""The largest standard deviation in logits that is fitted: with it most problems are always or never solved."""
MIN_LUCK = -1.0
"""With less, chances of some pair to be won or lost would come to more than 1."""
_LOGITS = 60.0
"""A chance of this many logits is 1."""
_NEARLY = 1 - 1e-15


@dataclass(frozen=True)
class Covariances:
    """Of two different pairs of a problem. `sides`: of what the baseline leaves unsolved in one and the other in the
    other; `differences`: of the differences of both.
    """

    sides: float
    differences: float


@dataclass(frozen=True)
class FittedProblems:
    """Problems with an ability x, and for each arm or model an effect e of its own, all drawn from N(0, 1).

    With L(y) = 1 / (1 + exp(-y)), a first answer leaves something to repair with a chance of L(a - ability x), and its
    repairs solve that with a chance of L(b + ability x + own e) (Rasch's model, with mixed effects). a and b are such
    that a share `open` of the pairs is left to repair, and `unsolved` in the end by the baseline; b of the other is as
    the difference wants it. Pairs of a problem are independent given these chances. `luck`: the share of pairs in which
    one draw decides the repairs of both sides, so that they part only by as much as one is likelier; the draws of the
    others are independent. Below 0, down to `MIN_LUCK`, sides part more often than by independent draws.

    Models, and arms that do not share first answers, have `open` = 1: their repairs are all that they do. `open`,
    `unsolved` in 0..1, `ability`, `own` in logits, 0 or above.
    """

    open: float
    unsolved: float
    ability: float
    own: float
    luck: float

    @property
    def most(self) -> float:
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
        """How likely repairs solve what is left, in each problem, by the baseline (0) or the other (1)."""
        x, *own = _normal()
        logits = self.ability * x + self.own * own[side]
        return _chances(logits, self._left, 1 - unsolved / self.open if self.open else 0.0)

    @property
    def _left(self) -> np.ndarray:
        return _left(self.ability, self.open)


@dataclass(frozen=True)
class PilotMoments:
    """`open`: the share of pairs that could differ; `unsolved`: that of all which the baseline did not solve; `gained`:
    the difference; `differ`: the share of pairs of which one alone was solved. `samples`, `twins`: the covariances of
    two samples of one task, and of two tasks of one problem; None where the pilot has no two. They are without bias:
    mean products in a problem, less those of different problems.

    A difference that chance explains is none: `gained` is what the pilot shows times 1 - v / its square, and 0 where
    that is below 0, for its variance v over problems (the positive part of James and Stein's estimate, 1961). What is
    left unsolved is on average over both sides as in the pilot.
    """

    open: float
    unsolved: float
    gained: float
    differ: float
    samples: Covariances | None
    twins: Covariances | None

    def problems(self, samples: float, twins: float) -> FittedProblems | None:
        """The model with these moments, for a study of so many samples of a task, and tasks of a problem, on average.

        None where the pilot does not say how alike these are. A moment that no such model has is taken as the nearest
        one that it may have.
        """
        if (samples != 1 and self.samples is None) or (twins != 1 and self.twins is None):
            return None
        alike = self._mean_covariances(samples - 1, samples * (twins - 1))
        fitted = FittedProblems(self.open, self.unsolved, ability=0.0, own=0.0, luck=0.0)

        def sides(own: float, ability: float) -> float:
            return replace(fitted, ability=ability, own=own).covariances(self.gained).sides - alike.sides

        def differences(ability: float, own: float) -> float:
            return replace(fitted, ability=ability, own=own).covariances(self.gained).differences - alike.differences

        ability = own = 0.0
        for _ in range(3):  # either hardly moves what the other is fitted to
            ability = _root(partial(sides, own), 0.0, WIDEST)
            own = _root(partial(differences, ability), 0.0, WIDEST)
        fitted = replace(fitted, ability=ability, own=own)
        by_chance, least = (self._differ(replace(fitted, luck=luck)) for luck in (0.0, 1.0))
        luck = (by_chance - self.differ) / max(by_chance - least, 1e-9)
        return replace(fitted, luck=min(1.0, max(MIN_LUCK, luck)))

    def _differ(self, fitted: FittedProblems) -> float:
        chances = fitted.chances(self.gained)
        return float((chances.won + chances.lost) @ chances.share)

    def _mean_covariances(self, samples: float, twins: float) -> Covariances:
        parts = [(samples, self.samples), (twins, self.twins)]
        known = [(count or 1e-9, part) for count, part in parts if part is not None]  # alone, it is as any may be
        every = math.fsum(count for count, _ in known)
        return Covariances(
            math.fsum(count * part.sides for count, part in known) / every if known else 0.0,
            math.fsum(count * part.differences for count, part in known) / every if known else 0.0,
        )


@dataclass(frozen=True)
class Outcome:
    """What came of one pair, each 0 or 1, or a value between for one that was cut short. `open`: whether it could
    differ: first answers that are shared and passed cannot.
    """

    baseline: float
    other: float
    open: bool


class _Sums(NamedTuple):
    """Of one problem, or of several with weights: sums over `pairs`, of which `PilotMoments` has the means, and of the
    products for its covariances over those `tasks` that have two samples and `problems` that have two tasks.
    """

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
    """What a pilot's pairs came to, by problem. `sums`: (problems, fields of `_Sums`). `left`: the means of what the
    baseline and the other left unsolved, in 0..1, (problems, 2).
    """

    sums: np.ndarray
    left: np.ndarray

    def moments(self, weights: np.ndarray | None = None) -> PilotMoments | None:
        """Those of the pilot, or of one in which each problem is so many times, (problems,).

        None of fewer than two problems.
        """
        import numpy as np

        weights = np.ones(len(self.sums)) if weights is None else weights
        if np.count_nonzero(weights) < 2:
            return None
        total = _Sums(*(weights @ self.sums).tolist())
        before, after = total.by_baseline / total.pairs, total.by_other / total.pairs
        shown = before - after
        columns = _Sums(*self.sums.T)
        apart = columns.by_baseline - columns.by_other - shown * columns.pairs
        problems = float(weights.sum())
        chance = problems / (problems - 1) * float(weights @ apart**2) / total.pairs**2
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
        """See `power.correction`: that of a plan for so many samples of a task, tasks of a problem, and problems.

        1 where the pilot does not say how alike these are.
        """
        moments = self.moments()
        model = None if moments is None else moments.problems(samples, twins)
        if model is None:
            return 1.0
        drawn = [one for moments in self._resampled() if (one := moments.problems(samples, twins)) is not None]
        return correction(model, drawn, problems, samples * twins)

    def _resampled(self) -> list[PilotMoments]:
        """The moments of `PILOTS` as large, whose problems are drawn from this one's with replacement."""
        import numpy as np

        problems = len(self.sums)
        drawn = np.random.default_rng(0).multinomial(problems, np.full(problems, 1 / problems), PILOTS).astype(float)
        return [moments for weights in drawn if (moments := self.moments(weights)) is not None]


def of_pilot(paired: Paired, k: int) -> PilotSums | None:
    """What the pairs of a pilot say of a comparison in FB@k.

    None where there are none, or where FB@k is unknown.
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
    """The same, from the pairs of each task of each problem; at least one."""
    import numpy as np

    sums, left = [], []
    for tasks in problems:
        # what baseline and other left unsolved, (pairs, 2) of each task, and the means of the tasks
        unsolved = [np.array([(1 - pair.baseline, 1 - pair.other) for pair in task]) for task in tasks]
        means = np.array([task.mean(axis=0) for task in unsolved])
        sums.append(_sums(sum(pair.open for task in tasks for pair in task), unsolved, means))
        left.append(means.mean(axis=0))
    return PilotSums(np.array(sums), np.array(left))


def _sums(open_: int, unsolved: Sequence[np.ndarray], means: np.ndarray) -> _Sums:
    import numpy as np

    every = np.concatenate(unsolved)
    several, twins = [task for task in unsolved if len(task) > 1], [means] if len(means) > 1 else []
    return _Sums(
        pairs=len(every),
        open=open_,
        by_baseline=math.fsum(every[:, 0]),
        by_other=math.fsum(every[:, 1]),
        differ=math.fsum((every[:, 0] - every[:, 1]) ** 2),
        tasks=len(several),
        of_samples=math.fsum(_product(*task.T) for task in several),
        differences_of_samples=math.fsum(_product(*[task[:, 0] - task[:, 1]] * 2) for task in several),
        problems=len(twins),
        of_twins=math.fsum(_product(*of.T) for of in twins),
        differences_of_twins=math.fsum(_product(*[of[:, 0] - of[:, 1]] * 2) for of in twins),
    )


def _product(x: np.ndarray, y: np.ndarray) -> float:
    """The mean product of x of one thing and y of another."""
    return float((x.sum() * y.sum() - x @ y) / (len(x) * (len(x) - 1)))


def _of_two_problems(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """The mean product of x of one problem and y of another, which is never the same one drawn twice."""
    both = weights.sum() ** 2 - weights @ weights
    return float(((weights @ x) * (weights @ y) - weights**2 @ (x * y)) / both)


@lru_cache(maxsize=64)
def _left(ability: float, share: float) -> np.ndarray:
    """How likely a first answer leaves something to repair, in each problem; in a `share` of all."""
    import numpy as np

    return _chances(-ability * _normal()[0], np.ones(PROBLEMS), share)


def _chances(logits: np.ndarray, weights: np.ndarray, mean: float) -> np.ndarray:
    """Chances with these logits and one more that all share, such that they have this weighted mean."""
    import numpy as np
    from scipy.special import expit, logit

    if not 0 < mean < 1:
        return np.full(len(logits), float(mean > 0))
    share, wanted = weights / weights.sum(), logit(mean)

    def beyond(shared: float) -> float:  # nearly a line
        return float(logit(min(expit(shared + logits) @ share, _NEARLY)) - wanted)

    chances: np.ndarray = expit(_root(beyond, -_LOGITS, _LOGITS) + logits)
    return chances


@cache
def _normal() -> np.ndarray:
    """An ability and two effects, each from N(0, 1), of each problem: (3, `PROBLEMS`).

    The quantiles of points that fill the unit cube evenly: multiples of powers of the root of x^4 = x + 1, modulo 1
    (Roberts, The Unreasonable Effectiveness of Quasirandom Sequences, 2018).
    """
    import numpy as np
    from scipy.special import ndtri

    steps = 1.2207440846057596 ** -np.arange(1.0, 4.0)
    drawn: np.ndarray = ndtri((0.5 + steps[:, None] * np.arange(1, PROBLEMS + 1)) % 1)
    return drawn


def _root(increasing: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that increases is 0, or the end that is nearest to it."""
    from scipy.optimize import brentq

    if increasing(low) >= 0:
        return low
    if increasing(high) <= 0:
        return high
    return float(brentq(increasing, low, high, xtol=1e-4))
