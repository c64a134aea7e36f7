"""The bounds on FB@k for runs with censored episodes."""

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
            {"k": k, "least": interval(point.lower), "most": interval(point.upper), "censored": point.censored}
            for k, point in enumerate(bounds(members, run.repairs))
        ]
        rows.append({**names, "fb": points})
    return Table.of(
        "Bounds on FB@k, in %",
        rows,
        _cells,
        "Episodes were censored by an infrastructure error, by the end of the run, or by a regrade that changed a "
        "verdict. The lower bound assumes that no censored episode is ever solved. The upper bound assumes that every "
        "censored episode is solved at the next attempt. In brackets: the lower end of the lower bound's 95% interval, "
        "and the upper end of the upper bound's 95% interval. Rates assume non-informative censoring (Kaplan-Meier).",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    cells: dict[str, Cell] = named(row, FRAMEWORK_KEYS)
    for point in row["fb"]:
        lower, upper = point["least"], point["most"]
        cells[f"FB@{point['k']}"] = Bounds(lower["rate"], upper["rate"], lower["low"], upper["high"])
    return cells
