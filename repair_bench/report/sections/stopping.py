"""Solved tasks and costs of a run with adaptive stopping."""

from __future__ import annotations

from repair_bench.analysis.planning.adaptive_stopping import stopping
from repair_bench.report.sections.base import KEYS, RunData, fields, interval, named, rate, solved_within
from repair_bench.report.table import Count, Share, Sum, Table


def section(run: RunData) -> Table:
    rows = [
        {
            **fields(found, *KEYS, "tasks", "solved", "episodes", "stopped"),
            "tokens": vars(found.tokens),
            "usd": vars(found.usd),
            "controls": interval(found.controls),
            "flattered": interval(found.flattered),
        }
        for found in stopping(run.episodes, run.stoppable, run.repairs)
    ]
    within = solved_within(run.repairs)
    return Table.of(
        "Stopping by value",
        rows,
        lambda row: {
            **named(row, KEYS),
            "solved": Share(row["solved"], row["tasks"], "of"),
            "episodes": Count(row["episodes"]),
            "stopped": Count(row["stopped"]),
            "tokens": Sum(row["tokens"]["known"], row["tokens"]["unknown"]),
            "usd": Sum(row["usd"]["known"], row["usd"]["unknown"], ",.4f"),
            "controls": rate(row["controls"]),
            "flattered": rate(row["flattered"]),
        },
        "solved: tasks (each in a framework) that any episode solved. stopped: episodes that were ended before their "
        f"last repair, since a new sample was worth more. controls: {within} over the episodes that were drawn to be "
        "repaired to the end, which every other table is of; flattered: over all first samples, as if those that were "
        "stopped had gone on like the others, which they would not.",
    )
