"""A model's best prompting configuration, never without the mean of all of them beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.curves import rate
from repair_bench.analysis.intervals import Interval
from repair_bench.analysis.metrics import Episode, group


@dataclass(frozen=True)
class Best:
    """FB@k of a model over its conditions, in 0..1.

    `conditions`: those with the highest rate, several when they tie. `best`: that rate, with the 95% interval of a
    condition chosen beforehand; it knows nothing of the choice, and so is a little too high. `mean`: of all `rates`.
    """

    model: str
    conditions: tuple[str, ...]
    best: Interval
    mean: float
    rates: dict[str, float]


def best_configurations(episodes: Iterable[Episode], k: int = 0) -> list[Best]:
    """One row a model, highest best rate first, ties by name (QuantumKatas, Table 4 and section 5.1)."""
    configurations = []
    for (model,), members in group(episodes, "model").items():
        points = {str(name): rate(part, k) for (name,), part in group(members, "condition").items()}
        rates = {name: point.estimate for name, point in points.items() if point.estimate is not None}
        if not rates:
            continue
        highest = max(rates.values())
        best = tuple(name for name, value in rates.items() if value == highest)
        mean = math.fsum(rates.values()) / len(rates)
        configurations.append(Best(str(model), best, points[best[0]], mean, rates))
    return sorted(configurations, key=lambda row: (-(row.best.estimate or 0), row.model))
