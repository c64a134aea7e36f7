"""The rule of QuanBench+'s released code, to reproduce its published figures and its noise.

1000 shots against one stored 1000-shot draw; D_KL(Q || P) with P the stored draw, zeros clipped at 1e-12 and nothing
renormalised; accepted below 0.05. The loader gives the stored draw as the expected answer, its keys in Qiskit's order
for every framework.
"""

from __future__ import annotations

import math

from repair_bench.suites.checks.distances import Probabilities, hellinger, total_variation
from repair_bench.suites.checks.observation import Distribution
from repair_bench.suites.checks.rules import Measured
from repair_bench.suites.checks.rules.draw import draw

CLIP = 1e-12
THRESHOLD = 0.05


def compare(expected: Probabilities, got: Distribution, *, seed: int) -> Measured:
    """Compare one case by a seeded draw of 1000 shots."""
    sample = draw(got, seed)
    divergence = math.fsum(q * math.log(q / max(expected.get(x, 0.0), CLIP)) for x, q in sample.items() if q > 0)
    distance = {
        "tv": total_variation(expected, sample),
        "kl": divergence,
        "hellinger": hellinger(expected, sample),
    }
    problem = None if divergence < THRESHOLD else f"the sampled outcomes are wrong (KL divergence {divergence:.3g})"
    return Measured(distance, problem)
