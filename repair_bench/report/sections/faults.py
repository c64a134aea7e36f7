"""Infrastructure errors, grouped by message."""

from __future__ import annotations

from repair_bench.analysis.runs.infrastructure_errors import grouped
from repair_bench.report.sections.base import RunData, named
from repair_bench.report.table import Count, Table, Text
from repair_bench.traces.record.printable import printable


def section(run: RunData) -> Table:
    return Table.of(
        "Faults",
        [vars(group) for group in grouped(a for episode in run.episodes for a in episode.attempts)],
        lambda row: {
            **named(row, ("model",)),
            "faults": Count(row["faults"]),
            "where": Text(row["boundary"], "text"),
            "message": Text(printable(row["message"]), "text"),
        },
        "What broke on our side or on the way to a model; their episodes are owed on resuming. Messages that differ in "
        "numbers alone are one row.",
    )
