"""What broke on our side, the same together."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.runs.infrastructure_errors import grouped
from repair_bench.report.sections.base import RunData, named
from repair_bench.report.table import Cell, Count, Table, Text
from repair_bench.traces.record.printable import printable


def section(run: RunData) -> Table:
    """One row a model, boundary and message, the most frequent first."""
    return Table.of(
        "Faults",
        [vars(group) for group in grouped(a for episode in run.episodes for a in episode.attempts)],
        _cells,
        "What broke on our side or on the way to a model; their episodes are owed on resuming. Messages that differ in "
        "numbers alone are one row.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, ("model",)),
        "faults": Count(row["faults"]),
        "where": Text(row["boundary"], "text"),
        "message": Text(printable(row["message"]), "text"),
    }
