"""What `report` says beyond the table of rates: one section a question, as plain data and for a terminal.

A section is a module with `section(run) -> Section`. Its rows are JSON data; it is printed only where it has rows.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from repair_bench.traces import metrics
from repair_bench.traces.notices import repairs_of
from repair_bench.traces.row import Recorded
from repair_bench.traces.sections.base import Row, Studied

NAMES = (
    "bounds",
    "frameworks",
    "pass_at_k",
    "best",
    "prefill",
    "effects",
    "equal_budget",
    "net_gain",
    "kinds",
    "habits",
    "spending",
    "difficulty",
    "diversity",
)
"""The sections in the order they are printed; each is the name of its module."""


def sections(
    manifest: Mapping[str, Any], attempts: Sequence[Recorded], certificate: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """All sections that have rows, by name, as JSON data: {"title", "note", "rows", "shown"}; `shown`: rows as printed.

    `certificate`: what `repair-bench suites audit --out` wrote of the suite, under the rule that judged the run.
    Raises UsageError when it is of another suite or rule.
    """
    paths = metrics.episodes(attempts)
    run = Studied(paths, manifest, repairs_of(attempts, manifest), certificate)
    found = {}
    for name in NAMES:
        section = importlib.import_module(f"{__name__}.{name}").section(run)
        if section.rows:
            shown = [section.shown(row) for row in section.rows]
            found[name] = {"title": section.title, "note": section.note, "rows": section.rows, "shown": shown}
    return found


def render(found: Mapping[str, Any], width: int = 80) -> Group:
    """Sections for a terminal of `width` columns."""
    parts: list[RenderableType] = []
    for section in found.values():
        parts += [Text(f"\n{section['title']}", style="bold"), *grids(section["shown"], width, HEADINGS)]
        parts.append(Text(section["note"], style="dim"))
    return Group(*parts)


def grids(rows: Sequence[Row], width: int = 80, headings: Sequence[str] = ("model",)) -> Iterator[RenderableType]:
    """Rows of texts under their column names; each value of `headings` that differs has a line of its own.

    What names the rows and is the same in all is left out. Where they are too wide, intervals go below their figures.
    """
    names = [name for name in rows[0] if name not in NAMED or len({row[name] for row in rows}) > 1]
    columns = [name for name in names if name not in headings]
    above = [name for name in names if name in headings]
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in columns}
    fits = sum(widths.values()) + 2 * len(widths) <= width
    for index, (heading, members) in enumerate(itertools.groupby(rows, lambda row: [row[name] for name in above])):
        padding = (0, 2, 0, 0) if fits else (0, 1, 0, 0)
        table = Table(box=None, pad_edge=False, padding=padding, show_header=index == 0 or not fits)
        for name in columns:
            justify: Any = "left" if name in NAMED else "right"
            table.add_column(name, overflow="fold", justify=justify, min_width=widths[name] if fits else None)
        for row in members:
            table.add_row(*(Text(row[name] if fits else row[name].replace(" (", "\n(")) for name in columns))
        if above:
            yield Text(", ".join(heading), style="cyan")
        yield table


NAMED = {
    *("model", "suite", "condition", "framework", "prompt", "setting", "arm", "against", "category"),
    *("class", "tier", "from", "name", "of", "up to"),
}
"""The columns that say what a row is of."""
HEADINGS = ("model", "suite", "condition", "prompt", "arm")
"""Of those, the ones that stand above a section's rows; names can be long."""
