"""Minimum detectable effects by simulation.

Studies are simulated with a statistical model of problems. Each study is tested with a sign-flip test, as in
`pairs.p_value`. The model is based on given rates, or is fitted to a pilot run (`pilot.of_pilot`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import fsum
from typing import TYPE_CHECKING, Protocol

from repair_bench.analysis.rates.statistics import sign_flips

if TYPE_CHECKING:
    import numpy as np

POWER = 0.8
LEVEL = 0.05
MORE = 0.1
"""The fraction by which a larger budget exceeds the planned budget. A plan also states the benefit of the larger
budget."""
STUDIES = 4_000
"""The number of simulated studies. With this number, a power of 80% is estimated with a standard error of 0.6
percentage points."""
MAX_CORRECTION = 2.0
"""The maximum factor by which `correction` multiplies planned differences. A typical factor is 1.1."""
CORRELATION = 0.9
"""The default correlation, across problems, between both sides' repair probabilities."""
NODES = 12
"""The number of quadrature nodes per Beta distribution. Moments are exact for up to 11 pairs of episodes per
problem."""
_MIN_ICC = 2e-3
"""The smallest intraclass correlation for which the quadrature is accurate. If the intraclass correlation is smaller
than this value, all problems are assumed to have equal rates."""


@dataclass(frozen=True)
class Chances:
    """Arrays with one value (from 0 to 1) for each kind of problem.

    `won`: the probability that, in a pair of episodes, the baseline episode is not solved and the other episode is
    solved. `lost`: the probability that the baseline episode is solved and the other episode is not solved. `share`:
    the share of problems of this kind.
    """

    won: np.ndarray
    lost: np.ndarray
    share: np.ndarray


class ProblemModel(Protocol):
    """A statistical model of problems. The caller specifies the difference in FB@k between the two sides of a
    comparison.
    """

    @property
    def max_difference(self) -> float:
        """The largest possible difference, from 0 to 1."""
        raise NotImplementedError

    def chances(self, difference: float) -> Chances:
        """Return the kinds of problems and the share of each kind.

        Over all problems, the mean difference in FB@k between the two sides is `difference`.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class StatedRates:
    """A statistical model of problems, based on given pass rates of first answers and of repairs. All rates are between
    0 and 1; `first` and `icc` are below 1.

    First answers pass with probability p. Repairs of failed first answers succeed with probability r, which differs
    between the baseline and the other side. Across problems, p and r follow Beta distributions. A distribution with
    mean m has variance icc m (1 - m). The field `first` is the mean, over all problems, of the probability p that a
    first answer passes. The field `repaired` is the mean, over all problems, of the probability r that the baseline's
    repairs succeed. On each side, r is statistically independent of p. `correlation`: the share of problems in which
    the repair probabilities of the two sides are at the same quantile of their distributions; in all other problems,
    the repair probabilities of the two sides are independent. Given p and r, the pairs of episodes on a problem are
    independent.

    `shared`: whether both sides of a pair share the first answer.
    """

    first: float
    repaired: float
    icc: float
    correlation: float
    shared: bool

    @property
    def max_difference(self) -> float:
        return (1 - self.first) * (1 - self.repaired)

    def chances(self, difference: float) -> Chances:
        import numpy as np

        after = min(1.0, self.repaired + difference / (1 - self.first))
        of_baseline, of_other, of_repaired = self._repaired(after)
        first, of_first = self._rates(self.first)
        share = np.outer(of_first, of_repaired).ravel()
        of_baseline, of_other = (np.tile(rates, len(first)) for rates in (of_baseline, of_other))
        first = np.repeat(first, len(of_repaired))
        if self.shared:
            return Chances(
                (1 - first) * (1 - of_baseline) * of_other, (1 - first) * of_baseline * (1 - of_other), share
            )
        baseline_fails, other_fails = (1 - first) * (1 - of_baseline), (1 - first) * (1 - of_other)
        return Chances(baseline_fails * (1 - other_fails), (1 - baseline_fails) * other_fails, share)

    def _rates(self, mean: float) -> tuple[np.ndarray, np.ndarray]:
        import numpy as np
        from scipy.special import roots_jacobi

        if mean in (0.0, 1.0) or self.icc < _MIN_ICC:
            return np.array([mean]), np.ones(1)
        size = 1 / self.icc - 1
        with np.errstate(invalid="ignore"):  # scipy replaces 0 / 0 at icc = 0.5
            nodes, shares = roots_jacobi(NODES, (1 - mean) * size - 1, mean * size - 1)
        return (1 + nodes) / 2, shares / shares.sum()

    def _repaired(self, after: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return, for each kind of problem, the repair probabilities of the two sides and the share of this kind.

        `after`: the mean repair probability of the side that is compared with the baseline.
        """
        import numpy as np

        (baseline, of_baseline), (other, of_other) = self._rates(self.repaired), self._rates(after)
        ends = [np.cumsum(shares)[:-1] for shares in (of_baseline, of_other)]
        edges = np.concatenate([[0.0], np.sort(np.concatenate(ends)), [1.0]])
        same = [np.searchsorted(end, (edges[1:] + edges[:-1]) / 2) for end in ends]
        independent = (1 - self.correlation) * np.outer(of_baseline, of_other).ravel()
        return (
            np.concatenate([np.repeat(baseline, len(other)), baseline[same[0]]]),
            np.concatenate([np.tile(other, len(baseline)), other[same[1]]]),
            np.concatenate([independent, self.correlation * np.diff(edges)]),
        )


def power(
    model: ProblemModel,
    difference: float,
    problems: int,
    pairs: float,
    level: float = LEVEL,
    *,
    studies: int = STUDIES,
    seed: int = 0,
) -> float:
    """Return the share of simulated studies with p below `level`, as a fraction from 0 to 1.

    `pairs`: the mean number of pairs per problem. The number of pairs varies by at most one between problems.
    """
    import numpy as np

    chances = model.chances(difference)
    uniform = np.random.default_rng(seed).random((studies, problems))
    few = int(pairs)
    with_few = problems - round(problems * (pairs - few))
    samples = [_sample(chances, few, uniform[:, :with_few]), _sample(chances, few + 1, uniform[:, with_few:])]
    return float(np.mean(sign_flips(np.concatenate(samples, axis=1)) < level))


def _sample(chances: Chances, pairs: int, uniform: np.ndarray) -> np.ndarray:
    """Draw one random total for each number in `uniform`, by inverting the distribution function of the totals.

    A total is the number of won pairs minus the number of lost pairs on one randomly drawn problem (see `Chances`).
    `pairs`: the number of pairs of episodes on the problem.
    """
    import numpy as np

    if not uniform.size:
        return uniform
    won, lost = chances.won, chances.lost
    of_sums = np.zeros((2 * pairs + 1, len(won)))
    of_sums[pairs] = 1
    for _ in range(pairs):
        more, less = np.roll(of_sums, 1, axis=0), np.roll(of_sums, -1, axis=0)
        of_sums = (1 - won - lost) * of_sums + won * more + lost * less
    return np.searchsorted(np.cumsum(of_sums @ chances.share)[:-1], uniform) - pairs


def detectable_difference(
    model: ProblemModel,
    problems: int,
    pairs: float,
    level: float = LEVEL,
    *,
    studies: int = STUDIES,
    seed: int = 0,
) -> float | None:
    """Return the minimum detectable effect in FB@k (from 0 to 1) at a power of 80%; None if no effect is detectable.

    `pairs`: the mean number of pairs per problem, over all frameworks.
    """
    from scipy.optimize import brentq

    @cache
    def excess(difference: float) -> float:
        return _excess_power(power(model, difference, problems, pairs, level, studies=studies, seed=seed), studies)

    if model.max_difference <= 0 or excess(model.max_difference) < 0:
        return None
    return float(brentq(excess, 0.0, model.max_difference, xtol=5e-4))


def correction(model: ProblemModel, resampled: Sequence[ProblemModel], problems: int, pairs: float) -> float:
    """Return the factor by which planned differences are multiplied to reach a power of 80%, averaged over possible
    pilot runs.

    `model`: the model fitted to the pilot. `resampled`: models fitted to resamples of the pilot. For each resampled
    model, a study is planned with the resampled model, and the power of the study is computed with `model` (Loh, JASA
    82, 155, 1987). The factor is at most `MAX_CORRECTION`. The factor is 1 if none of the resampled models yields a
    detectable difference.
    """
    from scipy.optimize import brentq

    studies = STUDIES // max(1, len(resampled))
    plans = [
        (seed, planned)
        for seed, one in enumerate(resampled)
        if (planned := detectable_difference(one, problems, pairs, studies=studies, seed=seed)) is not None
    ]
    if not plans:
        return 1.0

    @cache
    def excess(factor: float) -> float:
        found = [
            power(model, min(factor * planned, model.max_difference), problems, pairs, studies=studies, seed=seed)
            for seed, planned in plans
        ]
        return _excess_power(fsum(found) / len(found), studies * len(found))

    return MAX_CORRECTION if excess(MAX_CORRECTION) < 0 else float(brentq(excess, 0.0, MAX_CORRECTION, xtol=2e-3))


def _excess_power(share: float, studies: int) -> float:
    """Return the difference, in probits, between a power and 80%. `share`: the power.

    The difference in probits is nearly linear in the effect.
    """
    from scipy.special import ndtri

    return float(ndtri(min(max(share, 1 / studies), 1 - 1 / studies)) - ndtri(POWER))
