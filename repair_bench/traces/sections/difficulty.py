"""How hard each category is for the average model (QuantumKatas, section 5.3)."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.difficulty import category_correlation, normalised_difficulty, rates
from repair_bench.traces.metrics import counted, group
from repair_bench.traces.sections.base import Row, Section, Studied, firsts

FEWEST_MODELS = 3
"""With fewer, correlations of categories say nothing."""


def section(run: Studied) -> Section:
    """One row a suite, condition and category, where there are several categories."""
    rows: list[dict[str, Any]] = []
    for (suite, condition), members in group(counted(firsts(run), run.repairs), "suite", "condition").items():
        table = rates(members, run.repairs)
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
    return Section(
        "Normalised difficulty of first answers, in points",
        "The mean over models of (rate over all tasks - rate in the category): positive is harder than the average. r: "
        f"mean Pearson correlation with the other categories over models, from {FEWEST_MODELS} models on.",
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    r = row["mean_correlation"]
    return {
        "suite": row["suite"],
        "condition": row["condition"],
        "category": row["category"],
        "models": str(row["models"]),
        "points": f"{row['points']:+.1f}",
        "r": "-" if r is None else f"{r:.2f}",
    }
