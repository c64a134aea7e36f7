"""The printed form of a run's report, short or full, and of optional tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.console import RenderableType

from repair_bench.report import terminal
from repair_bench.report.sections import SECTIONS, SUMMARY, headline, tables
from repair_bench.report.sections.base import OptionalTables, RunData
from repair_bench.report.table import Table
from repair_bench.text import count

SCREEN = 40
"""The maximum number of lines in the short form."""
_EXPLAINED = 3  # maximum number of short names, and of reasons for exclusions, that the short form states
_EXCLUDED = "Excluded (not graded, and not counted in any figure): "
MORE = "More tables: repair-bench report RUN_DIR --full. Figures and episodes: --html."


def short(run: RunData, width: int) -> Iterator[RenderableType]:
    """Yield the short report: one screen with notices, headline rates, planned comparisons and costs."""
    figures = run.summary
    stated = [notice for notice in figures["notices"] if not notice.startswith("POOLED")]  # each table says so itself
    notices = [*terminal.notices(_short(notice, 2 * width) for notice in stated)]
    excluded = _excluded(figures)
    if len(excluded) > _EXPLAINED:
        excluded = [f"{_EXCLUDED}{count(sum(figures['excluded'].values()), 'task')}."]
    last = [headline.cost(run)] if run.episodes else ["No attempts have been recorded yet."]
    last += [_short(line, 2 * width) for line in excluded]
    if guarded := (figures["guarded"] or {}).get("tasks"):
        last.append(
            f"The test of {count(guarded, 'task')} ran in the candidate's process; --full shows rates without "
            "such tasks."
        )
    ends, legend = [*last, MORE], run.names.legend(_EXPLAINED)
    made = [headline.rates(run), headline.effects(run), headline.evidence(run), headline.use(run)]
    made += [headline.horizons(run), headline.models(run)]
    shown = [table for table in made if table.rows or table.lines] if run.episodes else []
    if legend:
        ends.insert(-1, legend)
    available = SCREEN - _lines([*notices, *terminal.lines(ends)], width)
    yield from notices
    yield from fitting(shown, width, available)
    yield from terminal.lines(ends)


def full(run: RunData, width: int) -> Iterator[RenderableType]:
    """Yield the full report: the rates, counts and costs of a run, and all sections."""
    figures = run.summary
    yield from terminal.notices(figures["notices"])
    shown = tables(run, SUMMARY)
    for table in shown.values():
        yield from terminal.table(table, width)
    yield from terminal.lines([*([] if shown else ["No attempts have been recorded yet."]), ""])
    yield from terminal.lines(_excluded(figures))
    yield from terminal.lines(filter(None, [figures["note"], run.names.legend()]), "dim")
    for table in tables(run, SECTIONS).values():
        yield from terminal.table(table, width)


def _excluded(figures: Mapping[str, Any]) -> list[str]:
    return [f"{_EXCLUDED}{count(n, 'task')} ({reason})" for reason, n in figures["excluded"].items()]


def optional(shown: OptionalTables, width: int) -> Iterator[RenderableType]:
    yield from terminal.notices(dict.fromkeys(shown.notices))
    for table in shown.tables.values():
        yield from terminal.table(table, width)


def fitting(tables: Sequence[Table], width: int, max_lines: int) -> Iterator[RenderableType]:
    """Shorten tables to `max_lines` lines in total: the longest tables lose rows, but keep at least one row."""
    kept = [min(len(table.rows), max_lines) for table in tables]
    while True:
        parts = [_cut(table, rows, width) for table, rows in zip(tables, kept, strict=True)]
        lines = [_lines(part, width) for part in parts]
        longest = max(
            range(len(kept)), key=lambda place: (kept[place] > 1, lines[place] / (1 + (place == 0))), default=0
        )
        if sum(lines) <= max_lines or kept[longest] < 2:
            return (line for part in parts for line in part)
        kept[longest] -= 1


def _cut(table: Table, rows: int, width: int) -> list[RenderableType]:
    more = len(table.rows) - rows
    notes = (f"{count(more, 'more row')}: --full shows all.", *table.notes) if more else table.notes
    return [*terminal.compact(replace(table, rows=table.rows[:rows], notes=notes), width, table.needed())]


def _lines(parts: Sequence[RenderableType], width: int) -> int:
    return terminal.text(parts, width).count("\n")


def _short(notice: str, max_length: int) -> str:
    """Return a notice, or only its first sentence if it is longer than `max_length` characters."""
    return notice if len(notice) <= max_length else re.split(r"(?<=[.)])\s+(?=[A-Z])", notice, maxsplit=1)[0]
