"""How hard each category is for the average model (QuantumKatas, section 5.3)."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.arms import firsts
from repair_bench.analysis.difficulty import category_correlation, normalised_difficulty, rates
from repair_bench.analysis.metrics import group
from repair_bench.report.sections.base import Studied, named
from repair_bench.report.table import Cell, Count, Number, Table

FEWEST_MODELS = 3
"""With fewer, correlations of categories say nothing."""


def section(run: Studied) -> Table:
    """One row a suite, condition and category, where there are several categories."""
    rows: list[dict[str, Any]] = []
    for (suite, condition), members in group(firsts(run.episodes), "suite", "condition").items():
        table = rates(members)
        if len({category for by in table.values() for category in by}) < 2:
            continue
        correlations = category_correlation(table)
        for category, points in normalised_difficulty(table).items():
            r = correlations.mean(category) if correlations.models >= FEWEST_MODELS else None
            rows.append(
                {
                    "suite": suite,
                    "condition": condition,
                    "category": category,
                    "models": len(table),
                    "points": points,
                    "mean_correlation": r,
                }
            )
    return Table.of(
        "Normalised difficulty of first answers, in points",
        rows,
        _cells,
        "The mean over models of (rate over all tasks - rate in the category): positive is harder than the average. r: "
        f"mean Pearson correlation with the other categories over models, from {FEWEST_MODELS} models on.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, ("suite", "condition", "category")),
        "models": Count(row["models"]),
        "points": Number(row["points"], "+.1f"),
        "r": Number(row["mean_correlation"], ".2f"),
    }
