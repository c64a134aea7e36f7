"""The bounds of FB@k where episodes were censored."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.comparing.bounds import bounds
from repair_bench.analysis.rates.metrics import counted
from repair_bench.report.sections.base import FRAMEWORK_KEYS, RunData, interval, named, named_groups
from repair_bench.report.table import Bounds, Cell, Table


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *FRAMEWORK_KEYS):
        if len(counted(members, run.repairs)) == len(members):
            continue
        points = [
            {"k": k, "least": interval(point.least), "most": interval(point.most), "censored": point.censored}
            for k, point in enumerate(bounds(members, run.repairs))
        ]
        rows.append({**names, "fb": points})
    return Table.of(
        "Bounds of FB@k, in %",
        rows,
        _cells,
        "Episodes were cut short by a fault, by the end of the run, or where a new verdict departs from what the model "
        "was told. At the least they are never solved, at the most at once; below, the outer ends of the 95% "
        "intervals of both. The rates suppose that they would have gone on like the others (Kaplan and Meier).",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    cells: dict[str, Cell] = named(row, FRAMEWORK_KEYS)
    for point in row["fb"]:
        least, most = point["least"], point["most"]
        cells[f"FB@{point['k']}"] = Bounds(least["rate"], most["rate"], least["low"], most["high"])
    return cells
