"""How often the 95% intervals hold the truth: simulated studies of 42 problems x 3 frameworks.

    python benchmarks/coverage.py [--quick] [--bootstrap] [--json FILE]

Each study draws 42 fresh problems. A problem has an ability theta ~ N(0, 1.5), its framework twins depart from it by
N(0, 0.7), and feedback works better on some problems than on others, by N(0, 0.5), all in logits. A first answer passes
with probability a(theta, twin); each repair of an arm passes with r(theta, arm). The arms share their first answers.
The truth is the rate over all problems that could be drawn, by Gauss-Hermite quadrature. Bounds asked for: 92 to 97%.

The rows of one framework have one value a problem, so nothing moves together there: the interval is Wilson's, whose
exact coverage for 42 values goes up to 97.7%, since their sum is a whole number. They are shown and not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from repair_bench.analysis.intervals import Clusters, Interval, bootstrap_interval, mean_interval, rate_interval

Array = np.ndarray
Method = Callable[[Clusters, bool], Interval]
"""The interval of a rate, or of a paired difference where the second argument is true."""

PROBLEMS, REPAIRS = 42, 5
FRAMEWORKS = np.array([0.4, 0.0, -0.4])
BETWEEN, TWINS, SLOPES = 1.5, 0.7, 0.5
LEAST, MOST = 92.0, 97.0
RESAMPLES = 999
WILSON = "curve, 1 framework"
"""The quantity with one value a problem."""


@dataclass(frozen=True)
class Scenario:
    """Logits at the average problem: of a first answer, of a repair, and what feedback adds to a repair."""

    name: str
    first: float
    repair: float
    feedback: float


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
    """FB@k over all problems: an array of (k, framework)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    found = np.zeros((REPAIRS + 1, len(FRAMEWORKS)))
    for theta, weight in zip(BETWEEN * nodes, weights, strict=True):
        fails = weights @ (1 - first_chance(scenario, theta, TWINS * nodes[:, None]))
        chances = repair_chance(scenario, theta, SLOPES * nodes[:, None], fed)
        for k in range(REPAIRS + 1):
            found[k] += weight * (1 - fails * (weights @ (1 - chances) ** k))
    return found


def study(scenario: Scenario, rng: np.random.Generator) -> Iterator[Array]:
    """Whether each episode is solved within k repairs, in the resampling arm and in the repair arm.

    Two arrays of (k, problem, framework).
    """
    theta = rng.normal(0, BETWEEN, (PROBLEMS, 1))
    first = first_chance(scenario, theta, rng.normal(0, TWINS, (PROBLEMS, len(FRAMEWORKS))))
    slope = rng.normal(0, SLOPES, (PROBLEMS, 1))
    at_once = rng.random(first.shape) < first
    ks = np.arange(REPAIRS + 1)[:, None, None]
    for fed in (False, True):
        solved_at = np.where(at_once, 0, rng.geometric(repair_chance(scenario, theta, slope, fed)))
        yield solved_at <= ks


def clusters(values: Array) -> Clusters:
    """Values of (problem, framework), summed by problem."""
    return Clusters(values.sum(axis=1).tolist(), [values.shape[1]] * len(values))


def coverage(scenario: Scenario, studies: int, method: Method, seed: int = 0) -> dict[str, tuple[Array, Array]]:
    """For each quantity the truth in 0..1, and the share in % of studies whose interval holds it, both by k."""
    rng = np.random.default_rng(seed)
    alone, fed = truth(scenario, fed=False), truth(scenario, fed=True)
    truths = {
        "curve, 3 frameworks": fed.mean(axis=1),
        WILSON: fed[:, 0],
        "repair - resampling": (fed - alone).mean(axis=1),
        "framework - framework": fed[:, 0] - fed[:, 2],
    }
    held = {name: np.zeros(REPAIRS + 1) for name in truths}
    for _ in range(studies):
        resampled, repaired = (solved.astype(float) for solved in study(scenario, rng))
        for k in range(REPAIRS + 1):
            made = {
                "curve, 3 frameworks": (repaired[k], False),
                WILSON: (repaired[k][:, :1], False),
                "repair - resampling": (repaired[k] - resampled[k], True),
                "framework - framework": (repaired[k][:, :1] - repaired[k][:, 2:], True),
            }
            for name, (values, paired) in made.items():
                if paired and name.startswith("repair") and k == 0:
                    continue  # the first answers are shared: the difference is 0 by design
                found = method(clusters(values), paired)
                held[name][k] += found.low - 1e-12 <= truths[name][k] <= found.high + 1e-12
    return {name: (truths[name], 100 * held[name] / studies) for name in truths}


def default(values: Clusters, paired: bool) -> Interval:
    """What the project prints."""
    return mean_interval(values) if paired else rate_interval(values)


def bootstrapped(kind: str) -> Method:
    def interval(values: Clusters, _: bool) -> Interval:
        return bootstrap_interval(values, method=kind, resamples=RESAMPLES)

    return interval


def main() -> int:
    from common import parse, report  # a test imports this file alone

    options = parse(__doc__, bootstrap="the bootstrap's intervals too (some minutes)")
    studies = 100 if options.quick else 1000
    methods = {"between problems (printed)": default}
    if options.bootstrap:
        methods |= {f"bootstrap, {kind}": bootstrapped(kind) for kind in ("percentile", "BCa")}
    outside = []
    for name, method in methods.items():
        rows = []
        for scenario in SCENARIOS:
            for quantity, (true, held) in coverage(scenario, studies, method, options.seed).items():
                about = {"scenario": scenario.name, "quantity": quantity}
                rows.append({**about, "in %": "truth", **_by_k(100 * true)})
                begins = 1 if quantity.startswith("repair") else 0  # the first answers are shared: no difference
                rows.append({**about, "in %": "coverage", **_by_k(held, begins)})
                bad = [k for k in range(begins, REPAIRS + 1) if not LEAST <= held[k] <= MOST]
                if bad and method is default and quantity != WILSON:
                    outside += [f"{scenario.name}, {quantity}, k={k}: {held[k]:.1f}%" for k in bad]
        report(f"95% intervals {name}: {studies} studies of {PROBLEMS} problems x 3 frameworks", rows, options.json)
    print(f"Intervals over problems outside {LEAST:.0f}-{MOST:.0f}%: {'; '.join(outside) or 'none'}")
    return 1 if outside and not options.quick else 0


def _by_k(values: Array, begins: int = 0) -> dict[str, float | None]:
    return {f"k={k}": round(float(value), 1) if k >= begins else None for k, value in enumerate(values)}


if __name__ == "__main__":
    raise SystemExit(main())
