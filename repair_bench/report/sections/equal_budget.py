"""Repair against resampling at equal budget, from shared first answers."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.budget import against_resampling
from repair_bench.report.sections.base import Studied, difference, interval, named
from repair_bench.report.table import Both, Cell, Count, Number, Table

_FORMS = {"calls": ",.0f", "tokens": ",.0f", "usd": ",.4f"}


def section(run: Studied) -> Table:
    """One row a model, suite, repairing arm, unit and budget."""
    rows = [
        {
            "model": arm.group.model,
            "suite": arm.group.suite,
            "prompt": arm.group.prompt,
            "arm": arm.arm,
            "baseline": arm.baseline,
            "unit": arm.unit,
            "budget": arm.equal.budget,
            **interval(arm.equal.difference, "difference"),
            "open_arm": arm.equal.open_other,
            "open_baseline": arm.equal.open_baseline,
            "unknown": arm.equal.unknown,
        }
        for arm in against_resampling(run.episodes, run.manifest, run.repairs)
    ]
    return Table.of(
        "Repair against resampling at equal budget: share solved minus that of new samples, in points",
        rows,
        _cells,
        "A budget is what an episode may spend. Frameworks and samples together; 95% intervals over problems. left: "
        "unsolved episodes of the arm and of resampling whose attempts ran out before the budget did.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, ("model", "suite", "arm")),
        "budget": Number(row["budget"], _FORMS[row["unit"]], "USD" if row["unit"] == "usd" else row["unit"]),
        "difference": difference(row),
        "pairs": Count(row["n"]),
        "left": Both(row["open_arm"], row["open_baseline"]),
    }
