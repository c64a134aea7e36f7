"""Pass@1 and FB@k by model, suite, condition and framework.

There are tables for all tasks, for tasks without errata, and for tasks whose test did not run in the candidate's
process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.report.sections.base import KEYS, RunData, named, rate
from repair_bench.report.table import Table, Text
from repair_bench.text import count
from repair_bench.traces.record.labels import DOUBTS

LABEL = 14
"""The width of the framework column, in characters."""
_WIDTH = 11  # "96.9-100.0" or "29.9-47.1", and a gap
_FIRST = "Pass@1\n= FB@0"


def section(run: RunData) -> Table:
    figures = run.summary
    return _rates(f"Solve rate, in %, with each task weighted equally; {figures['intervals']}", figures["rows"])


def sound(run: RunData) -> Table:
    """Return a table of the rates on sound tasks. The table is empty if all tasks are sound."""
    doubted, rows = run.summary["doubted"], run.summary["rows_sound"]
    why = ", ".join(f"{doubted[label]} {label}" for label in DOUBTS if doubted[label])
    tasks = f"{count(doubted['tasks'], 'task')} that {'is' if doubted['tasks'] == 1 else 'are'} not sound ({why})"
    return _without(tasks, doubted["tasks"], rows)


def sealed(run: RunData) -> Table:
    """Return a table of the rates, excluding tasks whose test ran in the candidate's process (`guarded`).

    The table is empty if there is no such task.
    """
    figures, rows = run.summary["guarded"], run.summary["rows_without_guarded"]
    verdicts = f"guarded: {count(figures['verdicts'], 'verdict')}"
    tasks = f"{count(figures['tasks'], 'task')} whose test ran in the candidate's process ({verdicts})"
    return _without(tasks, figures["tasks"], rows)


def _without(tasks: str, n: int, rows: Sequence[dict[str, Any]]) -> Table:
    if n and not rows:
        return Table("", lines=(f"The run contains only {tasks}.",))
    return _rates(f"Solve rate, in %, without {tasks}", rows)


def _rates(title: str, rows: Sequence[dict[str, Any]]) -> Table:
    heads = [_head(point["k"]) for row in rows[:1] for point in row["fb"]]
    return Table.of(
        title,
        rows,
        lambda row: {
            **named(row, KEYS),
            "framework": Text(str(row["framework"]), "name", f"n {row['counted']:,}"),
            **{_head(point["k"]): rate(point) for point in row["fb"]},
        },
        widths={"framework": LABEL, **dict.fromkeys(heads, _WIDTH)},
    )


def _head(k: int) -> str:
    return f"FB@{k}" if k else _FIRST
