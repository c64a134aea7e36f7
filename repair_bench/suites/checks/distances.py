"""Distances between two outcome distributions, which are dicts of probabilities by outcome."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import rel_entr

Probabilities = Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """The result of comparing two distributions by a rule.

    `distance`: tv, kl (nats), hellinger. `problem`: the reason for a rejection, or None.
    """

    distance: dict[str, float]
    problem: str | None


def measure(expected: Probabilities, got: Probabilities, divergence: float) -> dict[str, float]:
    """Return three distances between two distributions. A verdict shows these distances as evidence.

    `divergence`: the divergence that the rule computed, in nats.
    """
    return {"tv": total_variation(expected, got), "kl": divergence, "hellinger": hellinger(expected, got)}


def total_variation(p: Probabilities, q: Probabilities) -> float:
    """Return half the sum of |p - q|, in [0, 1]."""
    return min(1.0, 0.5 * math.fsum(abs(p.get(x, 0.0) - q.get(x, 0.0)) for x in p.keys() | q.keys()))


def hellinger(p: Probabilities, q: Probabilities) -> float:
    """Return the Hellinger distance sqrt(1 - sum sqrt(p q)), in [0, 1]."""
    overlap = math.fsum(math.sqrt(p[x] * q[x]) for x in p.keys() & q.keys())
    return math.sqrt(min(1.0, max(0.0, 1.0 - overlap)))


def kl(p: Probabilities, q: Probabilities, epsilon: float) -> float:
    """Return D_KL(p || q) in nats, which is finite and at least 0.

    Both distributions are smoothed and renormalised. Smoothing adds `epsilon` to the probability of every outcome that
    occurs in either distribution (QuanBench+, appendix D).
    """
    outcomes = sorted(p.keys() | q.keys())
    smooth_p = np.array([p.get(x, 0.0) for x in outcomes]) + epsilon
    smooth_q = np.array([q.get(x, 0.0) for x in outcomes]) + epsilon
    return max(0.0, float(rel_entr(smooth_p / smooth_p.sum(), smooth_q / smooth_q.sum()).sum()))
