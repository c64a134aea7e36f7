"""Shots drawn from exact probabilities, for the rules that compare samples."""

from __future__ import annotations

import numpy as np

from repair_bench.suites.checks.observation import Distribution

SHOTS = 1000


def draw(got: Distribution, seed: int) -> dict[str, float]:
    """Relative frequencies of 1000 seeded shots; samples are taken as they are."""
    if got.shots is not None:
        return dict(got.probabilities)
    outcomes = sorted(got.probabilities)
    p = np.array([got.probabilities[x] for x in outcomes])
    counts = np.random.default_rng(seed).multinomial(SHOTS, p / p.sum())
    return {x: int(n) / SHOTS for x, n in zip(outcomes, counts, strict=True) if n}
