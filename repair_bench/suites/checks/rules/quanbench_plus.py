"""The rules of QuanBench+, for reproducing its results and noise.

Both rules draw 1000 shots from an answer. The answer passes if the divergence is below 0.05.
"""

from __future__ import annotations

import math

import numpy as np

from repair_bench.suites.checks.distances import Measured, Probabilities, kl, measure
from repair_bench.suites.checks.observation import Distribution

SHOTS = 1000
THRESHOLD = 0.05
EPSILON = 1e-6
"""The smoothing constant. The constant is far smaller than 1 / `SHOTS`, the relative frequency of an outcome that
occurs once."""
CLIP = 1e-12


def paper(expected: Probabilities, got: Distribution, *, seed: int) -> Measured:
    """Compare a case as the paper specifies (section 3, appendix D).

    The divergence is D_KL(P || Q), where P is the reference; P and Q are smoothed by `EPSILON` and renormalised.
    """
    sample = _draw(got, seed)
    divergence = kl(expected, sample, EPSILON)
    problem = f"the sampled outcomes are wrong (KL divergence {divergence:.3g}, limit {THRESHOLD})"
    return Measured(measure(expected, sample, divergence), None if divergence < THRESHOLD else problem)


def released(expected: Probabilities, got: Distribution, *, seed: int) -> Measured:
    """Compare an answer with stored samples, as the released code does.

    `expected`: the outcome frequencies in the stored samples, which QuanBench+ drew once for each task. The bits of
    each outcome are in Qiskit's order, regardless of the framework. The divergence is D_KL(Q || P), where P is
    `expected`. Probabilities in P that are smaller than `CLIP` are replaced by `CLIP`. The changed P is not
    renormalised.
    """
    sample = _draw(got, seed)
    divergence = math.fsum(q * math.log(q / max(expected.get(x, 0.0), CLIP)) for x, q in sample.items() if q > 0)
    problem = f"the sampled outcomes are wrong (KL divergence {divergence:.3g})"
    return Measured(measure(expected, sample, divergence), None if divergence < THRESHOLD else problem)


def _draw(got: Distribution, seed: int) -> dict[str, float]:
    """Return the relative frequencies of the answer's samples. For an exact answer, samples are drawn with `seed`."""
    if got.shots is not None:
        return dict(got.probabilities)
    outcomes = sorted(got.probabilities)
    p = np.array([got.probabilities[x] for x in outcomes])
    counts = np.random.default_rng(seed).multinomial(SHOTS, p / p.sum())
    return {x: int(n) / SHOTS for x, n in zip(outcomes, counts, strict=True) if n}
