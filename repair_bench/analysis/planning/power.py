"""The smallest difference in FB@k that a comparison would find, before it is paid for.

Studies are drawn from a model of problems, in which the two differ by so much, and judged by the test that a report
makes: sign flips by problem (`pairs.p_value`). The model is one of stated rates, or it is fitted to a pilot run
(`pilot.of_pilot`).
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
"""The part of its budget by which a study is made larger, to see what that buys."""
STUDIES = 4_000
"""So many are drawn: a power of 80% is known within 0.6 points, one standard error."""
MAX_CORRECTION = 2.0
"""Of a plan by a pilot; 1.1 is usual."""
CORRELATION = 0.9
"""The default correlation over problems of both sides' chances of a repair: a problem is about as hard for either."""
NODES = 12
"""Of each Beta distribution: by so many, the moments of up to 11 pairs of a problem are exact."""
_ALIKE = 2e-3
"""With less, problems are all the same for every purpose, and nodes of their distribution have no digits."""


@dataclass(frozen=True)
class Chances:
    """Of each kind of problem its `share` of all, and how likely one pair is solved by the other alone (`won`), and by
    the baseline alone (`lost`). All in 0..1, (kinds,).
    """

    won: np.ndarray
    lost: np.ndarray
    share: np.ndarray


class ProblemModel(Protocol):
    """A model of problems, in which the other's FB@k may be made larger than the baseline's."""

    @property
    def most(self) -> float:
        """The largest difference that there can be, in 0..1."""
        raise NotImplementedError

    def chances(self, difference: float) -> Chances:
        """Those of the problems that may be drawn, where the two are so far apart."""
        raise NotImplementedError


@dataclass(frozen=True)
class StatedRates:
    """A first answer to a problem passes with a chance p, and the repairs of one that failed solve it with a chance r,
    of each arm or model its own. p and both r are drawn from Beta distributions with the means `first` and `repaired`
    (the baseline's; the other's is as much higher as it takes) and the intraclass correlation `alike`: their variance
    is alike * mean * (1 - mean), so that 0 is problems that are all the same and 1 such as are always or never solved.
    p is independent of both r. In a share `correlation` of the problems both r are the same quantile of their
    distributions; in the others they are independent. Pairs of one problem are independent given p and r; its twins in
    other frameworks have the same.

    `shared`: whether the two of a pair have the same first answer. Two models without repairs are `repaired` = 0. All
    in 0..1, `first` and `alike` below 1.
    """

    first: float
    repaired: float
    alike: float
    correlation: float
    shared: bool

    @property
    def most(self) -> float:
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

        if mean in (0.0, 1.0) or self.alike < _ALIKE:
            return np.array([mean]), np.ones(1)
        size = 1 / self.alike - 1
        with np.errstate(invalid="ignore"):  # of 0 / 0 at alike = 0.5, which it replaces
            nodes, shares = roots_jacobi(NODES, (1 - mean) * size - 1, mean * size - 1)
        return (1 + nodes) / 2, shares / shares.sum()

    def _repaired(self, after: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the chances of kinds of problems to be repaired by the baseline and by the other, and their shares.

        First come the kinds where the two are independent, then those where both are the same quantile. `after`: the
        mean of the other's chances.
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
    """The share of `studies` that find a difference, in 0..1: with p below `level`, by `pairs` of each of their
    `problems`. Where `pairs` is no whole number, some problems have one more than others.
    """
    import numpy as np

    chances = model.chances(difference)
    uniform = np.random.default_rng(seed).random((studies, problems))
    few = int(pairs)
    with_few = problems - round(problems * (pairs - few))
    drawn = [_drawn(chances, few, uniform[:, :with_few]), _drawn(chances, few + 1, uniform[:, with_few:])]
    return float(np.mean(sign_flips(np.concatenate(drawn, axis=1)) < level))


def _drawn(chances: Chances, pairs: int, uniform: np.ndarray) -> np.ndarray:
    """Sums of the differences of `pairs` pairs of a problem drawn at random, one for each number in 0..1."""
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
    """The smallest difference in FB@k, in 0..1, that is found with a power of 80%.

    `pairs`: of each problem, in all frameworks, on average. `studies`: so many are drawn. None where no difference that
    there can be is found so often.
    """
    from scipy.optimize import brentq

    @cache
    def lacking(difference: float) -> float:
        return _lacking(power(model, difference, problems, pairs, level, studies=studies, seed=seed), studies)

    if model.most <= 0 or lacking(model.most) < 0:
        return None
    return float(brentq(lacking, 0.0, model.most, xtol=5e-4))


def correction(model: ProblemModel, drawn: Sequence[ProblemModel], problems: int, pairs: float) -> float:
    """What a difference that is planned by a pilot is to be multiplied by, so that its power is 80% on average over
    pilots.

    `model`: fitted to the pilot; `drawn`: to others that are drawn from it. Each of these plans a study where `model`
    is the truth, by a difference of its own: too small as often as too large, but more is lost by the one than is
    gained by the other, and the fit has its bias. The factor that gives these studies a power of 80% is that of the
    pilot (Loh, Calibrating confidence coefficients, JASA 82, 155, 1987). A drawn pilot that finds nothing plans no
    study. 1 where none of them does, at most `MAX_CORRECTION`.
    """
    from scipy.optimize import brentq

    studies = STUDIES // max(1, len(drawn))
    plans = [
        (seed, planned)
        for seed, one in enumerate(drawn)
        if (planned := detectable_difference(one, problems, pairs, studies=studies, seed=seed)) is not None
    ]
    if not plans:
        return 1.0

    @cache
    def lacking(factor: float) -> float:
        found = [
            power(model, min(factor * planned, model.most), problems, pairs, studies=studies, seed=seed)
            for seed, planned in plans
        ]
        return _lacking(fsum(found) / len(found), studies * len(found))

    return MAX_CORRECTION if lacking(MAX_CORRECTION) < 0 else float(brentq(lacking, 0.0, MAX_CORRECTION, xtol=2e-3))


def _lacking(share: float, studies: int) -> float:
    """How far a share of studies is above 80%, in the normal's standard deviations: nearly a line in the difference."""
    from scipy.special import ndtri

    return float(ndtri(min(max(share, 1 / studies), 1 - 1 / studies)) - ndtri(POWER))
