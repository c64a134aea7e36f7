"""Rates over all frameworks, with intervals clustered by problem."""

from __future__ import annotations

from repair_bench.analysis.rates.curves import curve_intervals
from repair_bench.analysis.rates.metrics import counted, group
from repair_bench.report.sections.base import KEYS, RunData, curve_cells, named, named_groups, points
from repair_bench.report.table import Count, Table


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        if len(group(members, "framework")) > 1:
            fb = points(curve_intervals(members, run.repairs))
            rows.append({**names, "counted": len(counted(members, 0)), "fb": fb})
    return Table.of(
        "Solve rate over all frameworks, in %",
        rows,
        lambda row: {**named(row, KEYS), "n": Count(row["counted"]), **curve_cells(row["fb"])},
        "95% intervals clustered by problem, because framework variants and samples of a problem are correlated.",
    )
