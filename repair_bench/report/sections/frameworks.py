"""All frameworks together, with intervals over problems."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.rates.curves import curve_intervals
from repair_bench.analysis.rates.metrics import counted, group
from repair_bench.report.sections.base import RunData, interval, named, rate, solved_within
from repair_bench.report.table import Cell, Count, Table

_KEYS = ("model", "suite", "condition")


def section(run: RunData) -> Table:
    """One row a model, suite and condition, where there are several frameworks."""
    rows = []
    for key, members in group(run.episodes, *_KEYS).items():
        if len(group(members, "framework")) > 1:
            points = [{"k": k, **interval(i)} for k, i in enumerate(curve_intervals(members, run.repairs))]
            n = len(counted(members, 0))
            rows.append({**dict(zip(_KEYS, key, strict=True)), "counted": n, "fb": points})
    return Table.of(
        "All frameworks together, in %",
        rows,
        _cells,
        "95% intervals over problems: the framework twins and samples of a problem move together.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    points = {solved_within(point["k"]): rate(point) for point in row["fb"]}
    return {**named(row, _KEYS), "n": Count(row["counted"]), **points}
