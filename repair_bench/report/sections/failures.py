"""The classes of failures, before and after feedback."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.rates.metrics import counted, errors
from repair_bench.analysis.taxonomy import ERROR_CLASSES
from repair_bench.report.sections.base import RunData, named, named_groups
from repair_bench.report.table import Both, Cell, Table

_KEYS = ("model", "suite", "condition", "framework")


def section(run: RunData) -> Table:
    """One row a model, suite, condition and framework with counted episodes."""
    rows = []
    for names, members in named_groups(run.episodes, *_KEYS):
        if counted(members, 0):
            before, after = errors(members, run.repairs)
            classes = {name: {"before": before[name], "after": after[name]} for name in ERROR_CLASSES}
            rows.append({**names, "classes": classes})
    return Table.of(
        "Failures before and after feedback",
        rows,
        _cells,
        "Episodes by the class of their first answer → by that of their last known attempt. Sorts by the first.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, _KEYS),
        **{name: Both(of["before"], of["after"], " → ") for name, of in row["classes"].items()},
    }
