"""The solve rates of repair and of resampling at the same budget, for arms with the same first answers."""

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
from repair_bench.report.table import Both, Count, Number, Table

_FORMS = {"calls": ",.0f", "tokens": ",.0f", "usd": ",.4f"}


def at_budget(unit: Unit, equal: AtEqualBudget) -> dict[str, Any]:
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
    return Number(row[name], _FORMS[row["unit"]], "USD" if row["unit"] == "usd" else row["unit"])


def section(run: RunData) -> Table:
    rows = [
        {
            **fields(arm.group, "model", "suite", "prompt"),
            **fields(arm, "arm", "baseline"),
            **at_budget(arm.unit, arm.equal),
        }
        for arm in against_resampling(run.episodes, run.manifest, run.repairs)
    ]
    return Table.of(
        "Repair vs. independent resampling at equal budget: difference in solve rate, in percentage points",
        rows,
        lambda row: {
            **named(row, ("model", "suite", "arm")),
            "budget per episode": spend(row),
            "difference": difference(row),
            "pairs": Count(row["n"]),
            "unsolved": Both(row["open_arm"], row["open_baseline"]),
            **bounded(row),
        },
        "Pooled over frameworks and samples; 95% intervals clustered by problem. unsolved: number of episodes, in "
        "the arm and in resampling, that failed in all attempts without using the whole budget."
        + undecided(rows)
        + unplanned(run),
    )
