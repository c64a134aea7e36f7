"""The project's own rule: exact probabilities where there are any, else a threshold that knows the shots.

Exact probabilities are accepted when the total variation distance is at most 1e-3. A program's own arithmetic is good
to 1e-9; what the tolerance is for is a model that writes an angle with three digits. That moves an angle by at most
5e-4 and a probability by at most half of it, so four such rotations stay within, while circuits that differ by a
gate, a control, an angle's sign or a missing iteration are farther by an order of magnitude or more.

Samples are accepted when they are as close as that, or when D_KL(Q || P) is below a limit that shrinks as 1 / n: Q the
frequencies of n shots, P the exact expected probabilities, k the outcomes that they allow. 2 n D_KL(Q || P) of a right
answer's samples is the likelihood-ratio statistic, which follows a chi-square with k - 1 degrees of freedom (Wilks,
1938): the limit is chi2.ppf(1 - 1e-6, k - 1) / (2 n). Where an outcome is expected fewer than five times, that is no
good approximation, and the limit is Agrawal's, which holds for any P and n: P(D >= e) <= exp(-n e) (e n e / (k - 1))^(k
- 1), 1e-6 again. A right answer is thus rejected in about one of a million draws (in fewer than one of 100,000 as the
tests measure it). Outcomes that P does not allow may be at most TOLERANCE of all, or as many as chance makes of that.
Fewer than 1000 samples decide nothing and are not accepted: what 100 cannot tell apart is half a radian wide.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, lambertw, rel_entr

from repair_bench.suites.checks.distances import Measured, Probabilities, kl, measure
from repair_bench.suites.checks.observation import Distribution

Floats = NDArray[np.float64]

TOLERANCE = 1e-3
EPSILON = 1e-12
MIN_SHOTS = 1000
REJECTED = 1e-6
"""How often a right answer's samples are beyond the limit."""
MIN_EXPECTED = 5
"""Times that every outcome must be expected for the chi-square to be near (Cochran, 1952)."""
NEGLIGIBLE = 1e-12


def compare(expected: Probabilities, got: Distribution, *, seed: int = 0) -> Measured:  # noqa: ARG001
    """Compare one case. See the module's docstring for the rule."""
    if got.shots is None:
        nats = kl(expected, got.probabilities, EPSILON)
    else:
        outcomes = sorted(expected.keys() | got.probabilities.keys())
        p, q = (
            np.array([probabilities.get(x, 0.0) for x in outcomes]) for probabilities in (expected, got.probabilities)
        )
        nats = float(divergences(p, q[np.newaxis])[0])
    distance = measure(expected, got.probabilities, nats)
    return Measured(distance, _problem(expected, got, distance))


def _problem(expected: Probabilities, got: Distribution, distance: dict[str, float]) -> str | None:
    if got.shots is not None and got.shots < MIN_SHOTS:
        return f"{got.shots} samples are too few to judge; at least {MIN_SHOTS} are needed"
    if distance["tv"] <= TOLERANCE:
        return None
    if got.shots is None:
        return f"the outcome probabilities are wrong (total variation distance {distance['tv']:.3g})"
    limit = limit_of(np.array([*expected.values()]), got.shots)
    if distance["kl"] < limit:
        return None
    measured = f"KL divergence {distance['kl']:.3g}, limit {limit:.3g} for {got.shots} samples"
    return f"the sampled outcomes are wrong ({measured})"


def divergences(p: Floats, rows: Floats) -> Floats:
    """D_KL(Q || P) in nats, finite, for each row Q of relative frequencies. Columns are outcomes.

    Outcomes that P does not allow count as one, which P is granted as far as Q has it, up to TOLERANCE.
    """
    allowed = p > NEGLIGIBLE
    stray = rows[:, ~allowed].sum(axis=1)
    granted = np.minimum(stray, TOLERANCE)
    terms = rel_entr(rows[:, allowed], np.outer(1 - granted, p[allowed])).sum(axis=1)
    return np.asarray(np.maximum(0.0, terms + rel_entr(stray, granted)))


def limit_of(p: Floats, shots: int) -> float:
    """The largest divergence that `shots` samples of the probabilities `p` may have."""
    allowed = p[p > NEGLIGIBLE]
    return threshold(len(allowed), shots, float(allowed.min()) * shots)


@lru_cache(maxsize=1024)
def threshold(outcomes: int, shots: int, rarest: float) -> float:
    """The largest divergence, in nats, that a sample of `shots` over `outcomes` possible outcomes may have.

    `rarest`: how often the least likely of them is expected among the shots.
    """
    free = max(outcomes - 1, 1)
    if rarest >= MIN_EXPECTED:
        return float(chdtri(free, REJECTED)) / (2 * shots)
    # Agrawal's bound, solved for e: with y = n e / (k - 1), y - 1 - log y = log(1 / REJECTED) / (k - 1)
    y = -lambertw(-math.exp(math.log(REJECTED) / free - 1), -1).real
    return float(free * y / shots)
