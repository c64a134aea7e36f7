"""The rate of a model's best condition, corrected for selection, and the mean rate over all its conditions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repair_bench.analysis.rates.curves import problem, rate, rate_clusters
from repair_bench.analysis.rates.intervals import Clusters, Interval, lower_limit, rate_interval
from repair_bench.analysis.rates.metrics import Episode, counted, group

if TYPE_CHECKING:
    import numpy as np

MIN_PROBLEMS = 10
PER_CONDITION = 3
"""A corrected rate requires at least `MIN_PROBLEMS` problems, and at least `PER_CONDITION` times as many problems as
conditions. The values were chosen by `benchmarks/coverage.py`."""
SPLITS = 200
DRAWS = 5_000
LOWER = 0.035
"""The probability that the lower limit of at least one condition exceeds the condition's true rate. The value was
chosen by `benchmarks/coverage.py`."""


@dataclass(frozen=True)
class Best:
    """The best and the mean FB@k of one model over all its conditions. All rates are between 0 and 1.

    `conditions`: the conditions with the `highest` rate. `corrected`: the best rate, corrected for selection bias (see
    `best_interval`). `mean`: the mean of `rates`.
    """

    model: str
    conditions: list[str]
    highest: float
    corrected: Interval
    mean: float
    rates: dict[str, float]


def best_configurations(episodes: Iterable[Episode], k: int = 0) -> list[Best]:
    """Return one row per model, sorted by the model's highest rate (as in QuantumKatas, Table 4 and section 5.1)."""
    configurations = []
    for (model,), members in group(episodes, "model").items():
        parts = {str(name): part for (name,), part in group(members, "condition").items()}
        found = {name: rate(part, k).estimate for name, part in parts.items()}
        rates = {name: estimate for name, estimate in found.items() if estimate is not None}
        if not rates:
            continue
        highest = max(rates.values())
        best = [name for name, value in rates.items() if value == highest]
        mean = math.fsum(rates.values()) / len(rates)
        corrected = best_rate([parts[name] for name in rates], k)
        configurations.append(Best(str(model), best, highest, corrected, mean, rates))
    return sorted(configurations, key=lambda row: (-row.highest, row.model))


def best_rate(conditions: Sequence[Sequence[Episode]], k: int) -> Interval:
    """Return `best_interval` for FB@k. `conditions`: the episodes of each condition."""
    import numpy as np

    members = [counted(part, 0) for part in conditions]
    numbers = {of: n for n, of in enumerate(dict.fromkeys(problem(e) for part in members for e in part))}
    sums, weights = np.zeros((2, len(members), len(numbers)))
    found = []
    for row, part in enumerate(members):
        known = rate_clusters(part, k)
        assert known is not None
        places = [numbers[of] for of in dict.fromkeys(map(problem, part))]
        sums[row, places], weights[row, places] = known[0].sums, known[0].counts
        found.append(known)
    return best_interval(sums, weights, found)


def best_interval(sums: np.ndarray, weights: np.ndarray, conditions: Sequence[tuple[Clusters, float]]) -> Interval:
    """Return the rate of the best condition with a 95% interval, corrected for choosing the best of several conditions.

    `sums`, `weights`: arrays of shape (conditions, problems), in which a missing problem has weight 0. `conditions`:
    the arguments of `rate_interval` for each condition.

    The estimate is a mean over `SPLITS` random divisions of the problems into halves. For each division, the best
    condition is chosen on one half of the problems, and the rate of this condition is measured on the other half. This
    split-sample method is described by Cox (Biometrika 62, 441, 1975) and by Tsamardinos, Greasidou and Borboudakis
    (Machine Learning 107, 1895, 2018). The lower end of the interval comes from lower limits that hold simultaneously
    for all conditions (Hothorn, Bretz and Westfall, Biometrical Journal 50, 346, 2008). The upper end of the interval
    is not corrected for choosing the best condition. The rate and its limits are None unless there are at least
    `MIN_PROBLEMS` problems, and at least `PER_CONDITION` times as many problems as conditions.
    """
    import numpy as np
    from scipy.special import ndtr

    rates = sums.sum(axis=1) / weights.sum(axis=1)
    best = int(np.argmax(rates))
    clusters, max_n = conditions[best]
    plain = rate_interval(clusters, max_n=max_n)
    if sums.shape[1] < max(MIN_PROBLEMS, PER_CONDITION * len(sums)):
        return Interval(None, None, None, plain.n, plain.problems)
    estimate = min(float(rates[best]), _split(sums, weights))
    low = lower_limit(clusters, float(ndtr(-_quantile(sums, weights))), max_n)
    return Interval(estimate, min(estimate, low), plain.high, plain.n, plain.problems)


def _split(sums: np.ndarray, weights: np.ndarray) -> float:
    """Choose the best condition on one half of the problems, and return the condition's mean rate on the other half."""
    import numpy as np

    problems = sums.shape[1]
    rng = np.random.default_rng(0)
    half = rng.permuted(np.tile(np.arange(problems) < problems // 2, (SPLITS, 1)), axis=1)
    found = []
    for there in (half, ~half):
        solved, of, rest, of_rest = (x @ mask.T for mask in (there, ~there) for x in (sums, weights))
        with np.errstate(invalid="ignore", divide="ignore"):
            rate, other = np.where(of > 0, solved / of, -1.0), rest / of_rest
        best = (rate >= rate.max(axis=0) - 1e-9) & (of_rest > 0)
        found.append(np.where(best, other, 0).sum(axis=0) / np.maximum(1, best.sum(axis=0)))
    return float(np.mean(found))


def _quantile(sums: np.ndarray, weights: np.ndarray) -> float:
    """Return the 1 - `LOWER` quantile, over simulations, of the largest standardised error among all conditions."""
    import numpy as np

    errors = sums - weights * (sums.sum(axis=1) / weights.sum(axis=1))[:, None]
    size = np.sqrt((errors**2).sum(axis=1))
    varies = size > 1e-9
    rng = np.random.default_rng(0)
    joint = rng.normal(size=(DRAWS, sums.shape[1])) @ (errors[varies] / size[varies, None]).T
    single = rng.normal(size=(DRAWS, int((~varies).sum())))  # conditions that solve everything or nothing
    return float(np.quantile(np.hstack([joint, single]).max(axis=1), 1 - LOWER))
