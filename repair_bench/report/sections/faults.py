"""Infrastructure errors, grouped by message."""

from __future__ import annotations

from repair_bench.analysis.runs.infrastructure_errors import grouped
from repair_bench.report.sections.base import RunData, named
from repair_bench.report.table import Count, Table, Text
from repair_bench.traces.record.printable import printable


def section(run: RunData) -> Table:
    return Table.of(
        "Infrastructure errors",
        [vars(group) for group in grouped(a for episode in run.episodes for a in episode.attempts)],
        lambda row: {
            **named(row, ("model",)),
            "errors": Count(row["faults"]),
            "boundary": Text(row["boundary"], "text"),
            "message": Text(printable(row["message"]), "text"),
        },
        "Errors of the tool, the machine, the network or a provider; the affected episodes are retried on resume. "
        "Messages that differ only in numbers share a row.",
    )
