"""What a run that stops by value solved, and what it cost."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.planning.adaptive_stopping import stopping
from repair_bench.report.sections.base import KEYS, RunData, fields, interval, named, rate, solved_within
from repair_bench.report.table import Cell, Count, Share, Sum, Table


def section(run: RunData) -> Table:
    """One row a model, suite and condition."""
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
        _cells,
        "solved: tasks (each in a framework) that any episode solved. stopped: episodes that were ended before their "
        f"last repair, since a new sample was worth more. controls: {within} over the episodes that were drawn to be "
        "repaired to the end, which every other table is of; flattered: over all first samples, as if those that were "
        "stopped had gone on like the others, which they would not.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, KEYS),
        "solved": Share(row["solved"], row["tasks"], "of"),
        "episodes": Count(row["episodes"]),
        "stopped": Count(row["stopped"]),
        "tokens": Sum(row["tokens"]["known"], row["tokens"]["unknown"]),
        "usd": Sum(row["usd"]["known"], row["usd"]["unknown"], ",.4f"),
        "controls": rate(row["controls"]),
        "flattered": rate(row["flattered"]),
    }
