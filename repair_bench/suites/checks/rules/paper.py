"""The rule of the QuanBench+ paper's text (section 3, appendix D), to reproduce its tables and its noise.

1000 shots; D_KL(P || Q) with P the reference, both smoothed by an epsilon far below one shot and renormalised; accepted
below 0.05.
"""

from __future__ import annotations

from repair_bench.suites.checks.distances import Probabilities, hellinger, kl, total_variation
from repair_bench.suites.checks.observation import Distribution
from repair_bench.suites.checks.rules import Measured
from repair_bench.suites.checks.rules.draw import draw

EPSILON = 1e-6
THRESHOLD = 0.05


def compare(expected: Probabilities, got: Distribution, *, seed: int) -> Measured:
    """Compare one case by a seeded draw of 1000 shots."""
    sample = draw(got, seed)
    distance = {
        "tv": total_variation(expected, sample),
        "kl": kl(expected, sample, EPSILON),
        "hellinger": hellinger(expected, sample),
    }
    accepted = distance["kl"] < THRESHOLD
    problem = (
        None if accepted else f"the sampled outcomes are wrong (KL divergence {distance['kl']:.3g}, limit {THRESHOLD})"
    )
    return Measured(distance, problem)
