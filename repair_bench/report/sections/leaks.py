"""Where a program brought text of its grader into a feedback."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.rates.metrics import group
from repair_bench.analysis.runs.redactions import leaks
from repair_bench.report.sections.base import RunData, named
from repair_bench.report.table import Cell, Count, Share, Table, Text

_KEYS = ("model", "suite", "condition")
_MAX_TASKS = 4
"""Tasks that are printed."""


def section(run: RunData) -> Table:
    """One row a model, suite and condition with leaks."""
    rows = []
    for key, members in group(run.episodes, *_KEYS).items():
        lost = leaks(members)
        if lost.redacted:
            rows.append(
                {
                    **dict(zip(_KEYS, key, strict=True)),
                    "feedbacks": lost.feedbacks,
                    "redacted": lost.redacted,
                    "pieces": lost.pieces,
                    "tasks": [{"task_id": task, "framework": framework} for task, framework in lost.tasks],
                }
            )
    return Table.of(
        "Leaks: feedbacks that held text of a test, a reference or a hidden input",
        rows,
        _cells,
        "The text was taken out before a model read it. A program that reads its test writes such text; so, rarely, "
        "does one that happens to print the same.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    tasks = list(dict.fromkeys(task["task_id"] for task in row["tasks"]))
    more = f" and {len(tasks) - _MAX_TASKS} more" if len(tasks) > _MAX_TASKS else ""
    return {
        **named(row, _KEYS),
        "redacted": Share(row["redacted"], row["feedbacks"], "of"),
        "pieces": Count(row["pieces"]),
        "tasks": Text(", ".join(tasks[:_MAX_TASKS]) + more),
    }
