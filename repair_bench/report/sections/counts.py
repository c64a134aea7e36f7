"""How many tasks and episodes there are, how many are left out, and what all of it cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from repair_bench.report.sections.base import RunData, named
from repair_bench.report.sections.rates import LABEL
from repair_bench.report.table import Cell, Count, Sum, Table, Text

_KEYS = ("model", "suite", "condition", "framework")
_COUNTS = ("tasks", "episodes", "faults", "incomplete")
_SUMS = {
    "prompt_tokens": ("tokens in", ",.0f"),
    "completion_tokens": ("out", ",.0f"),
    "cost_usd": ("cost USD", ",.4f"),
}
"""By their names in the summary, and as printed."""
_WIDTHS = {
    "framework": LABEL,
    "tasks": 6,
    "episodes": 10,
    "faults": 8,
    "incomplete": 8,
    "tokens in": 11,
    "out": 9,
    "cost USD": 14,
}


def section(run: RunData) -> Table:
    """One row a model, suite, condition and framework; and the whole run, in which each completion counts once."""
    rows, total = run.summary["rows"], run.summary["total"]
    whole = {"framework": Text("all"), "episodes": Count(total["episodes"]), **_sums(total)}
    return Table.of("Counts and costs", rows, _cells, widths=_WIDTHS, total=whole if len(rows) > 1 else None)


def _cells(row: Mapping[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, _KEYS),
        **{name: Count(row[name]) for name in _COUNTS},
        **_sums(row),
    }


def _sums(row: Mapping[str, Any]) -> dict[str, Cell]:
    return {shown: Sum(row[name]["known"], row[name]["unknown"], form) for name, (shown, form) in _SUMS.items()}
