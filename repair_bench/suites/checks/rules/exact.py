"""The default rule: exact probabilities if available, otherwise a threshold that depends on the number of shots.

Exact probabilities pass if the total variation distance is at most 1e-3. The tolerance is large enough for angles that
are rounded to three decimal places. An error of 5e-4 in an angle changes a probability by at most half of this error,
so a circuit with four such errors passes. An incorrect gate, control, sign or number of iterations causes a distance of
at least ten times the tolerance.

Samples pass if the total variation distance is at most 1e-3, or if D_KL(Q || P) is below a limit that decreases as 1 /
n. Q contains the relative frequencies of the outcomes in n shots; P contains the exact probabilities of k outcomes. For
a correct answer, 2 n D_KL(Q || P) follows a chi-square distribution with k - 1 degrees of freedom (Wilks, 1938), so the
limit is chi2.ppf(1 - 1e-6, k - 1) / (2 n). If the expected count of an outcome is below five, the limit follows from
Agrawal's bound, which holds for any P and n. According to this bound,
Pr[D_KL(Q || P) >= d] <= exp(-n d) (exp(1) n d / (k - 1))^(k - 1). The limit is the value of d for which Agrawal's bound
is 1e-6. Outcomes that are impossible according to P may have a total probability of at most TOLERANCE. An answer with
fewer than 1000 samples never passes: with 100 samples, angles that differ by half a radian cannot be distinguished.
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
"""The probability that samples from a correct answer are rejected."""
MIN_EXPECTED = 5
"""The minimum expected count that every outcome needs for the chi-square approximation to be used (Cochran, 1952)."""
NEGLIGIBLE = 1e-12


def compare(expected: Probabilities, got: Distribution, *, seed: int = 0) -> Measured:  # noqa: ARG001
    """Compare two distributions by the rule that the module's docstring describes."""
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
        return f"the outcome probabilities are incorrect (total variation distance {distance['tv']:.3g})"
    limit = limit_of(np.array([*expected.values()]), got.shots)
    if distance["kl"] < limit:
        return None
    measured = f"KL divergence {distance['kl']:.3g}, limit {limit:.3g} for {got.shots} samples"
    return f"the sampled outcomes are wrong ({measured})"


def divergences(p: Floats, rows: Floats) -> Floats:
    """Return D_KL(Q || P) in nats, always finite, for each row Q of relative frequencies. Columns are outcomes.

    All outcomes with negligible probability under P are merged into one outcome. In P, the probability of the merged
    outcome is set to the smaller of TOLERANCE and the frequency of the merged outcome in Q.
    """
    allowed = p > NEGLIGIBLE
    stray = rows[:, ~allowed].sum(axis=1)
    granted = np.minimum(stray, TOLERANCE)
    terms = rel_entr(rows[:, allowed], np.outer(1 - granted, p[allowed])).sum(axis=1)
    return np.asarray(np.maximum(0.0, terms + rel_entr(stray, granted)))


def limit_of(p: Floats, shots: int) -> float:
    """Return the largest divergence from the probabilities `p`, in nats, at which a sample of `shots` shots is
    accepted.
    """
    allowed = p[p > NEGLIGIBLE]
    return threshold(len(allowed), shots, float(allowed.min()) * shots)


@lru_cache(maxsize=1024)
def threshold(outcomes: int, shots: int, rarest: float) -> float:
    """Return the largest accepted divergence, in nats, for a number of shots and a number of possible outcomes.

    `rarest`: the expected count of the least likely outcome.
    """
    free = max(outcomes - 1, 1)
    if rarest >= MIN_EXPECTED:
        return float(chdtri(free, REJECTED)) / (2 * shots)
    # Agrawal's bound, solved for d: with y = n d / (k - 1), y - 1 - log y = log(1 / REJECTED) / (k - 1)
    y = -lambertw(-math.exp(math.log(REJECTED) / free - 1), -1).real
    return float(free * y / shots)
