"""How hard a category is for the average model, and which categories measure the same (QuantumKatas, 5.3 and 6.4)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from repair_bench.analysis.curves import solved_by, task, weights
from repair_bench.analysis.metrics import Episode, counted, group

Rates = Mapping[str, Mapping[str, tuple[Fraction | int, int]]]
"""The sum of the tasks' rates and the number of tasks, by model and category."""


def rates(
    episodes: Iterable[Episode], k: int = 0, field: str = "category"
) -> dict[str, dict[str, tuple[Fraction, int]]]:
    """FB@k times the number of tasks, and that number, by model and `field`: "category", "framework".

    The paper takes each model's best configuration; within one condition nothing has to be chosen.
    """
    found: dict[str, dict[str, tuple[Fraction, int]]] = {}
    for (model, value), members in group(counted(episodes, k), "model", field).items():
        tasks, weight = len(set(map(task, members))), weights(members)
        solved = sum(w for e, w in zip(members, weight, strict=True) if solved_by(e, k))
        found.setdefault(str(model), {})[str(value)] = Fraction(solved * tasks, sum(weight)), tasks
    return found


def normalised_difficulty(table: Rates) -> dict[str, float]:
    """The mean over models of (overall rate - rate in the category), in points; hardest first (section 5.3).

    Positive where a category is harder than the average. Models without an episode of a category are left out of it.
    """
    differences: dict[str, list[float]] = {}
    for by_category in table.values():
        solved, n = (sum(counts) for counts in zip(*by_category.values(), strict=True))
        for category, (here, of) in by_category.items():
            differences.setdefault(category, []).append(float(100 * (Fraction(solved, n) - Fraction(here, of))))
    means = {category: math.fsum(points) / len(points) for category, points in differences.items()}
    return dict(sorted(means.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True)
class Correlations:
    """Pearson's r of each two categories; None where the rates of one do not vary. `models`: how many it is over."""

    models: int
    r: dict[tuple[str, str], float | None]

    def mean(self, category: str | None = None) -> float | None:
        """The mean r of a category with the others, of all pairs when it is None; None without any."""
        known = [r for pair, r in self.r.items() if r is not None and (category is None or category in pair)]
        return math.fsum(known) / len(known) if known else None


def category_correlation(table: Rates) -> Correlations:
    """Pearson correlations of category rates over the models that have every category (section 6.4).

    With fewer than three models r is 1, -1 or nothing, and says nothing.
    """
    categories = sorted({category for by_category in table.values() for category in by_category})
    whole = [by for by in table.values() if len(by) == len(categories)]
    columns = {c: [float(Fraction(*by[c])) for by in whole] for c in categories}
    coefficients = {(a, b): _pearson(columns[a], columns[b]) for a, b in itertools.combinations(categories, 2)}
    return Correlations(len(whole), coefficients)


def _pearson(x: list[float], y: list[float]) -> float | None:
    from statistics import StatisticsError, correlation

    try:
        return correlation(x, y)
    except StatisticsError:  # fewer than two models, or rates that do not vary
        return None
