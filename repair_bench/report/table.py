"""The table that every section makes, and the only place where a figure becomes text.

`terminal` prints any table, `page` shows it as HTML, `Table.to_json` gives its data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from repair_bench.analysis.rates.intervals import Interval

Role = Literal["heading", "name", "text", "figure"]
"""What a column is for. A name says what a row is of, and is left out where it is the same in all; a heading is a name
that can be long. A text is neither name nor figure.
"""


@dataclass(frozen=True)
class Cell:
    """One place of a table."""

    figure: str
    """The figure as text."""
    detail: str = ""
    """An interval, or what else belongs to the figure: in brackets after it, or small below it."""
    sort: float | str | None = None
    """What a column is sorted by; None, which comes last, for what is not known."""
    bar: tuple[float, float, float] | None = None
    """A rate and its interval in 0..1, where there is one to draw."""
    role: Role = "figure"
    address: str = ""
    """What a page links it to; empty for nothing."""

    def __str__(self) -> str:
        return f"{self.figure} ({self.detail})" if self.detail else self.figure


class Text(Cell):
    def __init__(self, value: str, role: Role = "figure", more: str = "", address: str = "") -> None:
        super().__init__(value, more, value, role=role, address=address)


class Unknown(Cell):
    """A figure that is not there, and the word for it."""

    def __init__(self, word: str = "-") -> None:
        super().__init__(word)


class Count(Cell):
    """A whole number of things."""

    def __init__(self, n: int) -> None:
        super().__init__(f"{n:,}", sort=n)


class Number(Cell):
    """Any other number, by a format of Python's, with its unit and its interval where it has one; `word` stands for
    None.
    """

    def __init__(
        self,
        value: float | None,
        form: str,
        unit: str = "",
        word: str = "-",
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        figure = word if value is None else f"{value:{form}} {unit}".rstrip()
        super().__init__(figure, "" if low is None or high is None else f"{low:{form}}..{high:{form}}", value)


class Rate(Cell):
    """A rate in 0..1, shown in %, with its interval where it has one; `word` stands for None."""

    def __init__(
        self, rate: float | None, low: float | None = None, high: float | None = None, word: str = "-"
    ) -> None:
        known = low is not None and high is not None
        detail = f"{_percent(low)}-{_percent(high)}" if known else ""
        bar = (rate, low, high) if rate is not None and low is not None and high is not None else None
        super().__init__(word if rate is None else _percent(rate), detail, rate, bar)

    @classmethod
    def of(cls, interval: Interval) -> Rate:
        return cls(interval.estimate, interval.low, interval.high)


class Difference(Cell):
    """A difference of rates in -1..1, shown in points, with its interval where it has one."""

    def __init__(self, difference: float | None, low: float | None = None, high: float | None = None) -> None:
        detail = "" if low is None or high is None else f"{_points(low)}..{_points(high)}"
        super().__init__(_points(difference), detail, difference)

    @classmethod
    def of(cls, interval: Interval) -> Difference:
        return cls(interval.estimate, interval.low, interval.high)


class Bounds(Cell):
    """A rate that lies between two, in 0..1. `low`, `high`: the outer ends of the intervals of both."""

    def __init__(
        self, least: float | None, most: float | None, low: float | None = None, high: float | None = None
    ) -> None:
        figure = _percent(least) if least == most else f"{_percent(least)}-{_percent(most)}"
        super().__init__(figure, Rate(least, low, high).detail, least)


class DifferenceBounds(Cell):
    """A difference that lies between two, in -1..1, shown in points."""

    def __init__(self, least: float | None, most: float | None, low: float | None, high: float | None) -> None:
        super().__init__(f"{_points(least)}..{_points(most)}", Difference(least, low, high).detail, least)


class Sum(Cell):
    """A sum of which a part may not be known. `unknown`: how many did not report the figure."""

    def __init__(self, known: float, unknown: int, form: str = ",.0f") -> None:
        figure = "unknown" if unknown and not known else f"{known:{form}}"
        more = f"+{unknown:,} unknown" if unknown and known else ""
        super().__init__(figure, more, None if unknown else known)


class Share(Cell):
    def __init__(self, part: int, whole: int, word: str = "/") -> None:
        super().__init__(f"{part:,} {word} {whole:,}", sort=part / whole if whole else None)


class Both(Cell):
    """Two counts that belong together, sorted by the first."""

    def __init__(self, first: int, second: int, word: str = ", ") -> None:
        super().__init__(f"{first:,}{word}{second:,}", sort=first)


class PValue(Cell):
    """A p-value; None where nothing was tested."""

    def __init__(self, p: float | None) -> None:
        super().__init__("-" if p is None else "<0.0001" if p < 0.0001 else f"{p:.2g}", sort=p)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f}"


def _points(difference: float | None) -> str:
    return "-" if difference is None else f"{100 * difference:+.1f}"


@dataclass(frozen=True)
class Column:
    """A column. `name`: its head.

    `width`: in characters of a terminal, where the columns of several groups of rows have to stand under each other;
    0: as wide as needed.
    """

    name: str
    role: Role = "figure"
    width: int = 0


@dataclass(frozen=True)
class Table:
    """A title, rows of cells, and notes below them. `lines`: what is said in words in place of rows.

    `data`: the figures of each row as JSON data, unrounded. `total`: a last row, of all the others together.
    """

    title: str
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    data: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    total: tuple[Cell, ...] = ()

    @classmethod
    def of(
        cls,
        title: str,
        data: Sequence[Mapping[str, Any]],
        cells: Callable[[Any], Mapping[str, Cell]],
        note: str = "",
        widths: Mapping[str, int] | None = None,
        total: Mapping[str, Cell] | None = None,
    ) -> Table:
        """A row for each of `data`, `cells` giving its cells by column; what a row has not is unknown in it."""
        made = [cells(row) for row in data]
        roles: dict[str, Role] = {}
        for row in made:
            for name, cell in row.items():
                roles.setdefault(name, cell.role)
        return cls(
            title,
            tuple(Column(name, role, (widths or {}).get(name, 0)) for name, role in roles.items()),
            tuple(tuple(row.get(name, Unknown()) for name in roles) for row in made),
            (note,) if note else (),
            data=tuple(data),
            total=() if total is None else tuple(total.get(name, Text("")) for name in roles),
        )

    @classmethod
    def listing(cls, rows: Sequence[Mapping[str, Any]]) -> Table:
        """Rows of plain values as they are, without a title; None is nothing, and a mapping its entries."""

        def cells(row: Mapping[str, Any]) -> dict[str, Cell]:
            return {name.replace("_", " "): Text(_plain(value), "text") for name, value in row.items()}

        return cls.of("", rows, cells)

    def needed(self, *, first: bool = False) -> list[int]:
        """The places of the columns that say something: not those of names that are the same in all rows.

        `first`: the first column stands all the same.
        """
        return [
            place
            for place, column in enumerate(self.columns)
            if column.role not in ("heading", "name")
            or (first and place == 0)
            or len({str(row[place]) for row in self.rows}) > 1
        ]

    def renamed(self, shown: Callable[[str, str], str]) -> Table:
        """Return the table with other words in its text cells. `shown`: of a column's name and a word."""

        def cell(column: Column, old: Cell) -> Cell:
            if not isinstance(old, Text):
                return old
            return Text(shown(column.name, old.figure), old.role, old.detail, old.address)

        rows = tuple(tuple(map(cell, self.columns, row)) for row in self.rows)
        return replace(self, rows=rows)

    def numeric(self, place: int) -> bool:
        """Whether a column is sorted by number."""
        return not any(isinstance(row[place].sort, str) for row in self.rows)

    @property
    def texts(self) -> list[dict[str, str]]:
        """Each row as it is printed, by column."""
        return [{column.name: str(cell) for column, cell in zip(self.columns, row, strict=True)} for row in self.rows]

    def to_json(self) -> dict[str, Any]:
        """{"title", "note", "rows", "shown"}: `rows` is `data`, `shown` the rows as they are printed."""
        return {"title": self.title, "note": " ".join(self.notes), "rows": list(self.data), "shown": self.texts}


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return "" if value is None else str(value)
