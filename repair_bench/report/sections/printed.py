"""What the commands print of a run, of published figures and of a comparison, from the first line to the last."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from repair_bench.analysis.notices import count
from repair_bench.report import terminal
from repair_bench.report.sections import SECTIONS, SUMMARY, tables
from repair_bench.report.sections.base import Asked, Studied


def summary(run: Studied, width: int) -> Iterator[RenderableType]:
    """A run's rates, counts and costs."""
    figures = run.summary
    yield from terminal.notices(figures["notices"])
    shown = tables(run, SUMMARY)
    for table in shown.values():
        yield from terminal.table(table, width)
    yield from terminal.lines([*([] if shown else ["No attempt is recorded yet."]), ""])
    yield from terminal.lines(
        f"Excluded, not judged and in no figure: {count(n, 'task')}: {reason}"
        for reason, n in figures["excluded"].items()
    )
    yield from terminal.lines([figures["note"]], "dim")


def report(run: Studied, width: int) -> Iterator[RenderableType]:
    """The summary, and every section."""
    shown = tables(run, SECTIONS)
    yield from summary(run, width)
    for table in shown.values():
        yield from terminal.table(table, width)


def asked(shown: Asked, width: int) -> Iterator[RenderableType]:
    """A run next to the figures of a paper, or two sides compared."""
    yield from terminal.notices(dict.fromkeys(shown.notices))
    for table in shown.tables.values():
        yield from terminal.table(table, width)
