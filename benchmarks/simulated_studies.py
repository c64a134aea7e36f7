"""Simulated studies with known true rates, for benchmarks of intervals and tests.

Each study draws 42 fresh problems in 3 frameworks. A problem has an ability theta ~ N(0, 1.5), its framework variants
deviate from it by N(0, 0.7), and the effect of feedback varies between problems by N(0, 0.5), all in logits. A first
answer passes with probability a(theta, variant); each repair of an arm passes with r(theta, arm). The arms share their
first answers. The true rate is the rate over all problems that could be drawn, computed by Gauss-Hermite quadrature.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from repair_bench.analysis.rates.intervals import Clusters, Interval

Array = np.ndarray

PROBLEMS, REPAIRS = 42, 5
FRAMEWORKS = np.array([0.4, 0.0, -0.4])
BETWEEN, TWINS = 1.5, 0.7


@dataclass(frozen=True)
class Scenario:
    """Logits for the average problem, and the mean effect of feedback with its variation."""

    name: str
    first: float
    repair: float
    feedback: float
    slopes: float = 0.5


SCENARIOS = (
    Scenario("hard tasks", -3.0, -3.0, 0.7),
    Scenario("middling tasks", -0.5, -1.5, 0.5),
    Scenario("easy tasks", 2.0, 0.0, -0.5),
)


def first_chance(scenario: Scenario, theta: Array | float, twin: Array) -> Array:
    return expit(scenario.first + theta + FRAMEWORKS + twin)


def repair_chance(scenario: Scenario, theta: Array | float, slope: Array, fed: bool) -> Array:
    extra = scenario.feedback + slope if fed else 0 * slope
    return expit(scenario.repair + 0.7 * theta + 0.5 * FRAMEWORKS + extra)


def truth(scenario: Scenario, fed: bool) -> Array:
    """Return FB@k over all problems: an array of (k, framework)."""
    nodes, weights = normal_nodes()
    found = np.zeros((REPAIRS + 1, len(FRAMEWORKS)))
    for theta, weight in zip(BETWEEN * nodes, weights, strict=True):
        fails = weights @ (1 - first_chance(scenario, theta, TWINS * nodes[:, None]))
        chances = repair_chance(scenario, theta, scenario.slopes * nodes[:, None], fed)
        for k in range(REPAIRS + 1):
            found[k] += weight * (1 - fails * (weights @ (1 - chances) ** k))
    return found


def normal_nodes() -> tuple[Array, Array]:
    """Return nodes and weights of Gauss-Hermite quadrature for N(0, 1)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return nodes, weights / weights.sum()


def study(scenario: Scenario, rng: np.random.Generator, samples: int = 1) -> Iterator[Array]:
    """Draw the number of the attempt that solves each episode, without an upper limit, in the resampling and the repair
    arm.

    Returns two arrays of (problem, framework, sample).
    """
    theta = rng.normal(0, BETWEEN, (PROBLEMS, 1))
    first = first_chance(scenario, theta, rng.normal(0, TWINS, (PROBLEMS, len(FRAMEWORKS))))
    slope = rng.normal(0, scenario.slopes, (PROBLEMS, 1))
    at_once = rng.random((*first.shape, samples)) < first[..., None]
    for fed in (False, True):
        chance = repair_chance(scenario, theta, slope, fed)[..., None]
        yield np.where(at_once, 0, rng.geometric(np.broadcast_to(chance, at_once.shape)))


def clusters(values: Array) -> Clusters:
    """Sum values of (problem, ...) by problem."""
    flat = values.reshape(len(values), -1)
    return Clusters(flat.sum(axis=1).tolist(), [flat.shape[1]] * len(flat))


def holds(found: Interval, true: float) -> bool:
    return found.low is not None and found.high is not None and found.low - 1e-12 <= true <= found.high + 1e-12
