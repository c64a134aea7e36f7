"""Pass@1 and FB@k by model, suite, condition and framework; the same without tasks that are to be mistrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.report.sections.base import RunData, named, rate
from repair_bench.report.table import Cell, Table, Text
from repair_bench.text import count
from repair_bench.traces.record.labels import DOUBTS

LABEL = 14
"""Characters of a framework's column in a terminal."""
_WIDTH = 11  # "96.9-100.0" or "29.9-47.1", and a gap
_FIRST = "Pass@1\n= FB@0"


def section(run: RunData) -> Table:
    """The repair curve of every row of the summary."""
    figures = run.summary
    return _rates(f"Solved, in %, each task weighed equally, with {figures['intervals']}", figures["rows"])


def sound(run: RunData) -> Table:
    """The same over the sound tasks; none where all are."""
    doubted, rows = run.summary["doubted"], run.summary["rows_sound"]
    why = ", ".join(f"{doubted[label]} {label}" for label in DOUBTS if doubted[label])
    tasks = f"{count(doubted['tasks'], 'task')} that {'is' if doubted['tasks'] == 1 else 'are'} not sound ({why})"
    if doubted["tasks"] and not rows:
        return Table("", lines=(f"There is nothing but the {tasks}.",))
    return _rates(f"The same without the {tasks}", rows)


def sealed(run: RunData) -> Table:
    """The same over the tasks of which no verdict is guarded; none where none is."""
    figures, rows = run.summary["guarded"], run.summary["rows_without_guarded"]
    tasks = f"{count(figures['tasks'], 'task')} whose test ran beside the candidate"
    verdicts = f"guarded: {count(figures['verdicts'], 'verdict')}"
    if figures["tasks"] and not rows:
        return Table("", lines=(f"There is nothing but the {tasks} ({verdicts}).",))
    return _rates(f"The same without the {tasks} ({verdicts})", rows)


def _rates(title: str, rows: Sequence[dict[str, Any]]) -> Table:
    heads = [_head(point["k"]) for point in (rows[0]["fb"] if rows else ())]
    return Table.of(title, rows, _cells, widths={"framework": LABEL, **dict.fromkeys(heads, _WIDTH)})


def _head(k: int) -> str:
    return f"FB@{k}" if k else _FIRST


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, ("model", "suite", "condition")),
        "framework": Text(str(row["framework"]), "name", f"n {row['counted']:,}"),
        **{_head(point["k"]): rate(point) for point in row["fb"]},
    }
