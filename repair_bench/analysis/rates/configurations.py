"""A model's best prompting configuration, never without the mean of all of them beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.rates.metrics import Episode, group
from repair_bench.analysis.rates.selection import best_rate


@dataclass(frozen=True)
class Best:
    """FB@k of a model over its conditions, in 0..1.

    `conditions`: those with the `highest` rate, several when they tie. `corrected`: that rate with its 95% interval,
    corrected for the choice (`selection.best_interval`). `mean`: the mean of `rates`.
    """

    model: str
    conditions: tuple[str, ...]
    highest: float
    corrected: Interval
    mean: float
    rates: dict[str, float]


def best_configurations(episodes: Iterable[Episode], k: int = 0) -> list[Best]:
    """One row a model, highest best rate first, ties by name (QuantumKatas, Table 4 and section 5.1)."""
    configurations = []
    for (model,), members in group(episodes, "model").items():
        parts = {str(name): part for (name,), part in group(members, "condition").items()}
        found = {name: rate(part, k).estimate for name, part in parts.items()}
        rates = {name: estimate for name, estimate in found.items() if estimate is not None}
        if not rates:
            continue
        highest = max(rates.values())
        best = tuple(name for name, value in rates.items() if value == highest)
        mean = math.fsum(rates.values()) / len(rates)
        corrected = best_rate([parts[name] for name in rates], k)
        configurations.append(Best(str(model), best, highest, corrected, mean, rates))
    return sorted(configurations, key=lambda row: (-row.highest, row.model))
