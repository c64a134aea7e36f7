"""The smallest difference in FB@k that a comparison would find, before it is paid for.

Studies are drawn from a model of problems, in which the two differ by so much, and judged by the test that a report
makes: sign flips by problem (`pairs.p_value`). The model is one of stated rates, or it is fitted to a pilot run
(`pilot.of_pilot`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from repair_bench.analysis.statistics import sign_flips

if TYPE_CHECKING:
    import numpy as np

POWER = 0.8
LEVEL = 0.05
MORE = 0.1
"""The part of its budget by which a study is made larger, to see what that buys."""
STUDIES = 4_000
"""So many are drawn: a power of 80% is known within 0.6 points, one standard error."""
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
    of each arm or model its own. p, and both r, are drawn independently from Beta distributions with the means `first`
    and `repaired` (the baseline's; the other's is as much higher as it takes) and the intraclass correlation `alike`:
    their variance is alike * mean * (1 - mean), so that 0 is problems that are all the same and 1 such as are always or
    never solved. Pairs of one problem are independent given p and r; its twins in other frameworks have the same.

    `shared`: whether the two of a pair have the same first answer. Two models without repairs are `repaired` = 0. All
    in 0..1, `first` and `alike` below 1.
    """

    first: float
    repaired: float
    alike: float
    shared: bool

    @property
    def most(self) -> float:
        return (1 - self.first) * (1 - self.repaired)

    def chances(self, difference: float) -> Chances:
        import numpy as np

        after = min(1.0, self.repaired + difference / (1 - self.first))
        rates, shares = zip(*(self._rates(mean) for mean in (self.first, self.repaired, after)), strict=True)
        first, of_baseline, of_other = (grid.ravel() for grid in np.meshgrid(*rates))
        share = np.prod(np.meshgrid(*shares), axis=0).ravel()
        if self.shared:
            return Chances(
                (1 - first) * (1 - of_baseline) * of_other, (1 - first) * of_baseline * (1 - of_other), share
            )
        baseline_fails, other_fails = (1 - first) * (1 - of_baseline), (1 - first) * (1 - of_other)
        return Chances(baseline_fails * (1 - other_fails), (1 - baseline_fails) * other_fails, share)

    def _rates(self, mean: float) -> tuple[np.ndarray, np.ndarray]:
        """The nodes of a Beta distribution and their shares, by Gauss and Jacobi."""
        import numpy as np
        from scipy.special import roots_jacobi

        if mean in (0.0, 1.0) or self.alike < _ALIKE:
            return np.array([mean]), np.ones(1)
        size = 1 / self.alike - 1
        with np.errstate(invalid="ignore"):  # of 0 / 0 at alike = 0.5, which it replaces
            nodes, shares = roots_jacobi(NODES, (1 - mean) * size - 1, mean * size - 1)
        return (1 + nodes) / 2, shares / shares.sum()


def power(model: ProblemModel, difference: float, problems: int, pairs: float, level: float = LEVEL) -> float:
    """The share of studies that find a difference, in 0..1: with p below `level`, by `pairs` of each of their
    `problems`. Where `pairs` is no whole number, some problems have one more than others.
    """
    import numpy as np

    chances = model.chances(difference)
    uniform = np.random.default_rng(0).random((STUDIES, problems))
    few = int(pairs)
    with_few = problems - round(problems * (pairs - few))
    drawn = [_drawn(chances, few, uniform[:, :with_few]), _drawn(chances, few + 1, uniform[:, with_few:])]
    return float(np.mean(sign_flips(np.concatenate(drawn, axis=1)) < level))


def _drawn(chances: Chances, pairs: int, uniform: np.ndarray) -> np.ndarray:
    """Sums of the differences of `pairs` pairs of a problem drawn at random, one for each number in 0..1.

    The chances of the sums are had from their characteristic function, at as many points as there are sums.
    """
    import numpy as np

    won, lost = chances.won, chances.lost
    at = np.exp(2j * np.pi * np.arange(2 * pairs + 1) / (2 * pairs + 1))[:, None]
    characteristic = (1 - won - lost + won * at + lost / at) ** pairs @ chances.share
    of_sums = np.fft.fftshift(np.fft.fft(characteristic).real) / len(characteristic)
    return np.searchsorted(np.cumsum(of_sums)[:-1], uniform) - pairs


def detectable_difference(model: ProblemModel, problems: int, pairs: float, level: float = LEVEL) -> float | None:
    """The smallest difference in FB@k, in 0..1, that is found with a power of 80%.

    `pairs`: of each problem, in all frameworks, on average. None where no difference that there can be is found so
    often.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    def lacking(difference: float) -> float:
        share = power(model, difference, problems, pairs, level)
        return float(ndtri(min(max(share, 1 / STUDIES), 1 - 1 / STUDIES)) - ndtri(POWER))  # nearly a line

    if model.most <= 0 or lacking(model.most) < 0:
        return None
    return float(brentq(lacking, 0.0, model.most, xtol=5e-4))
