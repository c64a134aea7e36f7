"""Tool use compared with feedback at equal budget."""

from __future__ import annotations

from repair_bench.analysis.comparing.tool_use import trying
from repair_bench.report.sections.base import RunData, fields, named, unplanned
from repair_bench.report.sections.equal_budget import at_budget, cells, notes, spend
from repair_bench.report.table import Count, Number, Table


def section(run: RunData) -> Table:
    rows = [
        {
            **fields(found, "model", "suite", "arm", "baseline", "repairs", "executions", "spent"),
            **at_budget(found.unit, found.equal),
        }
        for found in trying(run.episodes, run.manifest, run.repairs)
    ]
    return Table.of(
        "Tool use vs. feedback at equal budget: difference in solve rate, in percentage points",
        rows,
        lambda row: {
            **named(row, ("model", "suite", "arm")),
            "repairs": Count(row["repairs"]),
            "tool runs per episode": Number(row["executions"], ".2f"),
            "spent per episode": spend(row, "spent"),
            **cells(row, rows),
        },
        "Difference: arm with tools minus arm without tools. A model with tools can run programs before it answers. "
        "The arm with tools is compared twice: with 0 repairs and with all repairs. The arm without tools always has "
        "all repairs. Pooled over frameworks and samples; 95% intervals clustered by problem. unsolved: episodes of "
        "both arms that failed in all attempts without using the whole budget." + notes(rows) + unplanned(run),
    )
