"""Apply the rules to many samples at once, as arrays, for audits and calibrations.

Columns are outcomes; rows are samples, represented by the relative frequencies of their shots.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from repair_bench.suites.checks.rules import exact, quanbench_plus

Floats = NDArray[np.float64]


def draw(p: Floats, shots: int, draws: int, rng: np.random.Generator) -> Floats:
    """Draw `draws` samples of `shots` shots from the probabilities `p`."""
    return rng.multinomial(shots, p / p.sum(), size=draws) / shots


def divergences(p: Floats, rows: Floats, epsilon: float) -> Floats:
    """Return D_KL(p || row) in nats for each row; p and row are smoothed by adding `epsilon`, and renormalised."""
    smooth_p, smooth_q = p + epsilon, rows + epsilon
    terms = rel_entr(smooth_p / smooth_p.sum(), smooth_q / smooth_q.sum(axis=1, keepdims=True))
    return np.asarray(terms.sum(axis=1))


def rejected(rule: str, expected: Floats, rows: Floats, shots: int) -> NDArray[np.bool_]:
    """Return, for each sample in `rows`, whether the rule rejects the sample.

    Entry j of `expected` and column j of `rows` stand for the same outcome.
    """
    if rule == "released":
        clipped = np.maximum(expected, quanbench_plus.CLIP)
        divergence = np.where(rows > 0, rows * np.log(np.where(rows > 0, rows, 1.0) / clipped), 0.0).sum(axis=1)
        return np.asarray(divergence >= quanbench_plus.THRESHOLD)
    if rule == "paper":
        return divergences(expected, rows, quanbench_plus.EPSILON) >= quanbench_plus.THRESHOLD
    far = np.abs(rows - expected).sum(axis=1) / 2 > exact.TOLERANCE
    return np.asarray(far & (exact.divergences(expected, rows) >= exact.limit_of(expected, shots)))
