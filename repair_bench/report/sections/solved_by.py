"""Tables of the share of solved episodes by task category and by task difficulty."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.rates.curves import curve_intervals
from repair_bench.analysis.rates.metrics import counted
from repair_bench.analysis.runs.notices import interval_note
from repair_bench.report.sections.base import KEYS, RunData, curve_cells, interval, named, named_groups
from repair_bench.report.table import Cell, Count, Table


def category(run: RunData) -> Table:
    return _by("category", run)


def difficulty(run: RunData) -> Table:
    return _by("difficulty", run)


def _by(field: str, run: RunData) -> Table:
    groups = [(names, part) for names, part in named_groups(run.episodes, field, *KEYS) if names[field] is not None]
    rows = []
    for names, members in groups if len({names[field] for names, _ in groups}) > 1 else ():
        curve = curve_intervals(members, run.repairs)
        points = [{"k": k, **interval(curve[k])} for k in dict.fromkeys((0, run.repairs))]
        rows.append({**names, "n": len(counted(members, 0)), "fb": points})

    def cells(row: dict[str, Any]) -> dict[str, Cell]:
        return {**named(row, (field, *KEYS)), "n": Count(row["n"]), **curve_cells(row["fb"])}

    return Table.of(
        f"Solve rate by {field}, in %",
        rows,
        cells,
        f"Pooled over frameworks; {interval_note([part for _, part in groups])}.",
    )
