"""What the commands print of a run, of published figures and of a comparison, from the first line to the last."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType

from repair_bench.analysis.notices import count
from repair_bench.report import terminal
from repair_bench.report.sections import SECTIONS, SUMMARY, comparison, tables
from repair_bench.report.sections.base import Studied
from repair_bench.report.sections.published import Published


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


def published(paper: Published, width: int) -> Iterator[RenderableType]:
    """A run next to the figures of a paper."""
    yield from terminal.lines([paper.head], "bold")
    yield from terminal.notices(paper.notices)
    for table in paper.tables().values():
        yield from terminal.table(table, width)
    yield from terminal.lines(["\nBefore comparing"], "bold")
    yield from terminal.lines(
        textwrap.fill(caveat, width - 2, initial_indent="- ", subsequent_indent="  ") for caveat in paper.caveats
    )
    yield from terminal.lines([paper.note], "dim")


def compared(result: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    """Two sides compared, from what `analysis.comparison.compare` gives."""
    yield from terminal.notices(dict.fromkeys(result["notices"]))
    yield from terminal.lines(comparison.head(result))
    for table in comparison.tables(result).values():
        yield from terminal.table(table, width)
