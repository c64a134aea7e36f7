"""Tool use compared with feedback at equal budget."""

from __future__ import annotations

from repair_bench.analysis.comparing.tool_use import trying
from repair_bench.report.sections.base import RunData, bounded, difference, fields, named, undecided, unplanned
from repair_bench.report.sections.equal_budget import at_budget, spend
from repair_bench.report.table import Both, Count, Number, Table


def section(run: RunData) -> Table:
    rows = [
        {
            **fields(found, "model", "suite", "arm", "baseline", "repairs", "executions", "spent"),
            **at_budget(found.unit, found.equal),
        }
        for found in trying(run.episodes, run.manifest, run.repairs)
    ]
    return Table.of(
        "Trying and being told at equal budget: share solved minus that of repairs without tools, in points",
        rows,
        lambda row: {
            **named(row, ("model", "suite", "arm")),
            "repairs": Count(row["repairs"]),
            "runs": Number(row["executions"], ".2f"),
            "spent": spend(row, "spent"),
            "budget": spend(row),
            "difference": difference(row),
            "pairs": Count(row["n"]),
            "left": Both(row["open_arm"], row["open_baseline"]),
            **bounded(row),
        },
        "An arm that may run programs before it answers, by its first answers alone (0 repairs) and with its repairs, "
        "against the same arm without tools and with its repairs. runs: programs that it ran in an episode; spent: by "
        "such an episode. A budget is what an episode may spend. Frameworks and samples together; 95% intervals over "
        "problems. left: unsolved episodes of the arm and of the other whose attempts ran out before the budget did."
        + undecided(rows)
        + unplanned(run),
    )
