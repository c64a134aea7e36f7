"""Print tables on a terminal of at least 80 columns."""

from __future__ import annotations

import contextlib
import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rich.align import VerticalAlignMethod
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from repair_bench.report.table import Cell, Column, Table
from repair_bench.traces.record.printable import printable


def show(parts: Iterable[RenderableType]) -> None:
    """Print `parts`, which the other functions of this module return."""
    console = Console()
    for part in parts:
        console.print(part)


def text(parts: Iterable[RenderableType], columns: int) -> str:
    """Return what `show` would print, as plain text for a terminal with `columns` columns."""
    console = Console(file=io.StringIO(), width=columns)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    return captured.get()


@contextlib.contextmanager
def live() -> Iterator[Callable[[Callable[[int], Iterable[RenderableType]]], None]]:
    """Yield a function that prints one frame of a live display. A frame is laid out for the width of the terminal.

    On a terminal, each frame replaces the previous frame, and the last frame stays; otherwise, all frames are printed.
    """
    console = Console()
    last: list[Callable[[int], Iterable[RenderableType]]] = []

    def draw(make: Callable[[int], Iterable[RenderableType]]) -> None:
        last[:] = [make]
        if display is None:
            console.print(*make(console.width), "", sep="\n")
        else:
            display.update(Group(*make(console.width)), refresh=True)

    if not console.is_terminal:
        display = None
        yield draw
        return
    try:
        with Live(console=console, screen=True, auto_refresh=False, vertical_overflow="crop") as display:
            yield draw
    finally:
        for make in last:
            console.print(*make(console.width), sep="\n")


def width() -> int:
    return Console().width


def notices(texts: Iterable[str]) -> Iterator[RenderableType]:
    return lines(texts, "bold yellow")


def lines(texts: Iterable[str], style: str = "") -> Iterator[RenderableType]:
    return (_text(text, style) for text in texts)


def table(shown: Table, columns: int = 80) -> Iterator[RenderableType]:
    """Yield the title, the rows and the notes of a table for a terminal with `columns` columns."""
    fixed = any(column.width for column in shown.columns)
    if not fixed:
        yield _text(f"\n{shown.title}" if shown.title else "", "bold")
    yield from lines(shown.lines)
    if shown.rows:
        yield from _blocks(shown, columns) if fixed else rows(shown, columns)
    yield from lines(shown.notes, "dim")


def compact(shown: Table, columns: int, needed: Sequence[int]) -> Iterator[RenderableType]:
    """Yield the same parts as `table`, without blank lines. `needed`: the indices of the columns to show."""
    yield from lines([shown.title] if shown.title else [], "bold")
    yield from lines(shown.lines)
    yield from rows(shown, columns, needed) if shown.rows else ()
    yield from lines(shown.notes, "dim")


def rows(shown: Table, columns: int = 80, needed: Sequence[int] | None = None) -> Iterator[RenderableType]:
    """Yield the column names of a table, followed by its rows, which are grouped by heading.

    If the rows are too wide, the details of a cell (such as an interval) are printed below the number in the cell.
    """
    needed = shown.needed() if needed is None else needed
    above = [place for place in needed if shown.columns[place].role == "heading"]
    inside = [place for place in needed if place not in above]
    widths = {
        place: max(len(shown.columns[place].name), *(len(str(row[place])) for row in shown.rows)) for place in inside
    }
    fits = sum(widths.values()) + 2 * len(widths) <= columns
    listed = all(column.role == "text" for column in shown.columns)
    padding = (0, 1, 0, 1) if listed else (0, 2, 0, 0) if fits else (0, 1, 0, 0)
    if not fits:
        for place in inside:
            folded = "\n".join([shown.columns[place].name, *(_folded(row[place]) for row in shown.rows)])
            widths[place] = max(map(len, folded.split("\n")))
    aligned = fits or sum(widths.values()) + len(widths) <= columns
    for index, (heading, members) in enumerate(
        itertools.groupby(shown.rows, lambda row: [str(row[place]) for place in above])
    ):
        grid = Grid(box=None, pad_edge=False, padding=padding, show_header=index == 0 or not aligned)
        for place in inside:
            column = shown.columns[place]
            justify: Any = "right" if column.role == "figure" else "left"
            grid.add_column(
                Text(column.name), overflow="fold", justify=justify, min_width=widths[place] if aligned else None
            )
        for row in members:
            grid.add_row(*(_text(str(row[place]) if fits else _folded(row[place])) for place in inside))
        if above:
            yield _text(", ".join(heading), "cyan")
        yield grid


def _blocks(shown: Table, columns: int) -> Iterator[RenderableType]:
    """Yield the columns of a table, in several blocks if they do not fit. The details of a cell (such as an interval)
    are printed below the number in the cell.

    Headings can be long, so they are printed on a separate line above each group of rows.
    """
    places = range(len(shown.columns))
    names = [place for place in places if shown.columns[place].role == "name"]
    figures = [place for place in places if shown.columns[place].role not in ("name", "heading")]
    above = [place for place in shown.needed(first=True) if shown.columns[place].role == "heading"]
    available = columns - sum(shown.columns[place].width for place in names)
    for index, block in enumerate(_packed(figures, [shown.columns[place].width for place in figures], available)):
        inside = [*names, *block]
        heads = [shown.columns[place] for place in inside]
        yield _text(f"\n{shown.title}{', continued' if index else ''}", "bold")
        yield _fixed(heads, [["" if head.role == "name" else _broken(head) for head in heads]], "bottom")
        for heading, members in itertools.groupby(shown.rows, lambda row: [str(row[place]) for place in above]):
            yield _text(", ".join(heading), "cyan")
            yield _fixed(heads, [[_below(row[place]) for place in inside] for row in members])
        if shown.total:
            yield _fixed(heads, [[_below(shown.total[place]) for place in inside]])


def _packed(places: Sequence[int], widths: Sequence[int], available: int) -> list[list[int]]:
    """Divide the columns into blocks that are at most `available` wide, with at least one column per block."""
    blocks: list[list[int]] = [[]]
    left = available
    for place, width_of in zip(places, widths, strict=True):
        if blocks[-1] and width_of > left:
            blocks.append([])
            left = available
        blocks[-1].append(place)
        left -= width_of
    return blocks


def _fixed(heads: Sequence[Column], texts: Iterable[Sequence[str]], vertical: VerticalAlignMethod = "top") -> Grid:
    grid = Grid.grid()
    for head in heads:
        grid.add_column(width=head.width, justify="left" if head.role == "name" else "right", vertical=vertical)
    for row in texts:
        grid.add_row(*map(_text, row))
    return grid


def _broken(head: Column) -> str:
    middle = (len(head.name) + 1) // 2
    fits = "\n" in head.name or len(head.name) <= head.width
    return head.name if fits else f"{head.name[:middle]}-\n{head.name[middle:]}"


def _below(cell: Cell) -> str:
    return f"{cell.figure}\n{cell.detail}" if cell.detail else cell.figure


def _folded(cell: Cell) -> str:
    return str(cell) if cell.role == "text" else str(cell).replace(" (", "\n(")


def _text(text: str, style: str = "") -> Text:
    """Remove the control characters from a text. Names of data sets and providers may contain control characters."""
    return Text(printable(text, keep="\n\t"), style=style)
