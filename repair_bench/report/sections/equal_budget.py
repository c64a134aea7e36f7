"""The solve rates of repair and of resampling at the same budget, for arms with the same first answers."""

from __future__ import annotations

from collections.abc import Sequence
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
_EXCLUDED = (
    " excluded: pairs of unknown cost, which only the bounds include. In the bounds, an episode that was solved at an "
    "unknown cost counts as censored."
)


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


def cells(row: dict[str, Any], rows: Sequence[dict[str, Any]]) -> dict[str, Cell]:
    """Return the cells of one of the `rows` of a table of differences at equal budget."""
    return {
        "budget per episode": spend(row),
        "difference": difference(row),
        "pairs": Count(row["n"]),
        **({"excluded": Count(row["unknown"])} if _excluded(rows) else {}),
        "unsolved": Both(row["open_arm"], row["open_baseline"]),
        **bounded(row),
    }


def notes(rows: Sequence[dict[str, Any]]) -> str:
    """Return the notes on excluded pairs and on bounds, or "" if there are none."""
    return (_EXCLUDED if _excluded(rows) else "") + undecided(rows)


def _excluded(rows: Sequence[dict[str, Any]]) -> bool:
    return any(row["unknown"] for row in rows)


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
            **cells(row, rows),
        },
        "Pooled over frameworks and samples; 95% intervals clustered by problem. unsolved: number of episodes, in "
        "the arm and in resampling, that failed in all attempts without using the whole budget."
        + notes(rows)
        + unplanned(run),
    )
