"""The number of tasks and episodes, and the costs of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from repair_bench.report.sections.base import FRAMEWORK_KEYS, RunData, named
from repair_bench.report.sections.rates import LABEL
from repair_bench.report.table import Cell, Count, Sum, Table, Text

_ROLES = {
    "solver": "answers to the tasks",
    "critic": "analyses of failures, included in equal-budget comparisons",
    "probe": "decoding probes; these are measurements, so equal-budget comparisons exclude them",
}
_COUNTS = ("tasks", "episodes", "faults", "incomplete")
SUMS = {
    "prompt_tokens": ("input tokens", ",.0f"),
    "completion_tokens": ("output tokens", ",.0f"),
    "cost_usd": ("cost, USD", ",.4f"),
}
"""The column heading and the number format of each sum in the summary."""
_WIDTHS = {
    "framework": LABEL,
    "tasks": 6,
    "episodes": 10,
    "faults": 8,
    "incomplete": 8,
    "input tokens": 13,
    "output tokens": 14,
    "cost, USD": 14,
}


def section(run: RunData) -> Table:
    """Return a table with the rows of the summary and a total, which counts each completion once."""
    rows, total = run.summary["rows"], run.summary["total"]
    summed = {"framework": Text("all"), "episodes": Count(total["episodes"]), **_sums(total)}
    return Table.of(
        "Counts and costs",
        rows,
        lambda row: {**named(row, FRAMEWORK_KEYS), **{name: Count(row[name]) for name in _COUNTS}, **_sums(row)},
        widths=_WIDTHS,
        total=summed if len(rows) > 1 else None,
    )


def by_role(run: RunData) -> Table:
    """Return a table with the costs of each role, for conditions with several roles."""
    rows = [
        {**{key: row[key] for key in FRAMEWORK_KEYS}, "role": role, **sums}
        for row in run.summary["rows"]
        for role, sums in row.get("roles", {}).items()
    ]
    kinds = {row["role"] for row in rows}
    return Table.of(
        "Costs by role",
        rows,
        lambda row: {
            **named(row, FRAMEWORK_KEYS),
            "role": Text(row["role"], "name"),
            "queries": Count(row["queries"]),
            **_sums(row),
        },
        " ".join(f"{role}: {text}." for role, text in _ROLES.items() if role in kinds),
    )


def _sums(row: Mapping[str, Any]) -> dict[str, Cell]:
    return {shown: Sum(row[name]["known"], row[name]["unknown"], form) for name, (shown, form) in SUMS.items()}
