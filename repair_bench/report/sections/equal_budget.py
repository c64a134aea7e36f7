"""Repair against resampling at equal budget, from shared first answers."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.comparing.bounds import stated
from repair_bench.analysis.comparing.costs import Unit
from repair_bench.analysis.comparing.equal_budget import AtEqualBudget, against_resampling
from repair_bench.report.sections.base import (
    RunData,
    bounded,
    difference,
    fields,
    interval,
    named,
    undecided,
    unplanned,
)
from repair_bench.report.table import Both, Cell, Count, Number, Table

_FORMS = {"calls": ",.0f", "tokens": ",.0f", "usd": ",.4f"}


def at_budget(unit: Unit, equal: AtEqualBudget) -> dict[str, Any]:
    """The part of a row that says how two arms compare at one budget."""
    return {
        "unit": unit,
        "budget": equal.budget,
        **interval(equal.difference, "difference"),
        "open_arm": equal.open_other,
        "open_baseline": equal.open_baseline,
        "unknown": equal.unknown,
        "bounds": stated(equal.bound, equal.difference.estimate, None),
    }


def spend(row: dict[str, Any], name: str = "budget") -> Number:
    """An amount of the row's unit."""
    return Number(row[name], _FORMS[row["unit"]], "USD" if row["unit"] == "usd" else row["unit"])


def section(run: RunData) -> Table:
    """One row a model, suite, repairing arm, unit and budget."""
    rows = [
        {
            **fields(arm.group, "model", "suite", "prompt"),
            **fields(arm, "arm", "baseline"),
            **at_budget(arm.unit, arm.equal),
        }
        for arm in against_resampling(run.episodes, run.manifest, run.repairs)
    ]
    return Table.of(
        "Repair against resampling at equal budget: share solved minus that of new samples, in points",
        rows,
        _cells,
        "A budget is what an episode may spend. Frameworks and samples together; 95% intervals over problems. left: "
        "unsolved episodes of the arm and of resampling whose attempts ran out before the budget did."
        + undecided(rows)
        + unplanned(run),
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, ("model", "suite", "arm")),
        "budget": spend(row),
        "difference": difference(row),
        "pairs": Count(row["n"]),
        "left": Both(row["open_arm"], row["open_baseline"]),
        **bounded(row),
    }
