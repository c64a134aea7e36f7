"""Solved episodes by a field of the task."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.rates.curves import curve_intervals
from repair_bench.analysis.rates.metrics import counted, group
from repair_bench.analysis.runs.notices import interval_note
from repair_bench.report.sections.base import RunData, interval, named, rate, solved_within
from repair_bench.report.table import Cell, Count, Table

_KEYS = ("model", "suite", "condition")


def category(run: RunData) -> Table:
    return _by("category", run)


def difficulty(run: RunData) -> Table:
    return _by("difficulty", run)


def _by(field: str, run: RunData) -> Table:
    """One row a value of the field, model, suite and condition: first answers, and all repairs."""
    keys = (field, *_KEYS)
    groups = {key: members for key, members in group(run.episodes, *keys).items() if key[0] is not None}
    rows = []
    for key, members in groups.items() if len({key[0] for key in groups}) > 1 else ():
        curve = curve_intervals(members, run.repairs)
        points = [{"k": k, **interval(curve[k])} for k in dict.fromkeys((0, run.repairs))]
        rows.append({**dict(zip(keys, key, strict=True)), "n": len(counted(members, 0)), "fb": points})

    def cells(row: dict[str, Any]) -> dict[str, Cell]:
        rates = {solved_within(point["k"]): rate(point) for point in row["fb"]}
        return {**named(row, keys), "n": Count(row["n"]), **rates}

    return Table.of(f"Solved by {field}, in %", rows, cells, f"Frameworks together; {interval_note(groups.values())}.")
