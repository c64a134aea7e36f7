"""A model's best condition, never without the mean of all of them beside it."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.configurations import best_configurations
from repair_bench.traces.metrics import group
from repair_bench.traces.sections.base import Row, Section, Studied, firsts, interval, percent


def section(run: Studied) -> Section:
    """Rows a model and suite, for first answers and after repairs, where there are several conditions."""
    rows = []
    for k in dict.fromkeys((0, run.repairs)):
        for (suite,), members in group(run.paths if k else firsts(run), "suite").items():
            rows += [
                {
                    "suite": suite,
                    "model": best.model,
                    "k": k,
                    "conditions": list(best.conditions),
                    "best": interval(best.best),
                    "mean": best.mean,
                    "rates": best.rates,
                }
                for best in best_configurations(members, run.repairs, k)
                if len(best.rates) > 1 and len(set(best.rates.values())) > 1
            ]
    return Section(
        "Best condition of a model, and the mean of all of them, in %",
        "The best was chosen after the fact, so it is a little too high; its interval knows nothing of the choice.",
        sorted(rows, key=lambda row: row["model"]),
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    return {
        "model": row["model"],
        "suite": row["suite"],
        "of": f"FB@{row['k']}" if row["k"] else "Pass@1",
        "best": percent(row["best"]),
        "mean": f"{100 * row['mean']:.1f}",
        "conditions": str(len(row["rates"])),
        "the best": ", ".join(row["conditions"]),
    }
