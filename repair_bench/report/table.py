"""Data structures for tables, and classes of table cells that convert numbers to text. `terminal` prints tables, and
`page` shows tables as HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from repair_bench.analysis.rates.intervals import Interval

Role = Literal["heading", "name", "text", "figure"]
"""The role of a column. Columns with role "name" or "heading" (a long name) identify a row; such a column is hidden if
all rows have the same value."""


_UNKNOWN = "unknown"


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    `detail`: an interval or a remark, printed in brackets after the figure or in small type below. `sort`: the sort key
    within a column; None comes last. `bar`: a rate (0 to 1) and its interval. `address`: the address that the cell
    links to on a page.
    """

    figure: str
    detail: str = ""
    sort: float | str | None = None
    bar: tuple[float, float, float] | None = None
    role: Role = "figure"
    address: str = ""

    def __str__(self) -> str:
        return f"{self.figure} ({self.detail})" if self.detail else self.figure


class Text(Cell):
    def __init__(self, value: str, role: Role = "figure", more: str = "", address: str = "") -> None:
        super().__init__(value, more, value, role=role, address=address)


class Unknown(Cell):
    """A word shown in place of an unknown number."""

    def __init__(self, word: str = "-") -> None:
        super().__init__(word)


class Count(Cell):
    def __init__(self, n: int) -> None:
        super().__init__(f"{n:,}", sort=n)


class Number(Cell):
    """A number with a unit and an interval. `form`: the Python format; `word`: shown if the number is None."""

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
    """A rate (0 to 1), shown in %, with its interval. `word`: shown if the rate is unknown."""

    def __init__(
        self, rate: float | None, low: float | None = None, high: float | None = None, word: str = "-"
    ) -> None:
        detail, bar = "", None
        if low is not None and high is not None:
            detail = f"{_percent(low)}-{_percent(high)}"
            bar = None if rate is None else (rate, low, high)
        super().__init__(word if rate is None else _percent(rate), detail, rate, bar)

    @classmethod
    def of(cls, interval: Interval) -> Rate:
        return cls(interval.estimate, interval.low, interval.high)


class Difference(Cell):
    """A difference between rates (-1 to 1), shown in percentage points, with its interval."""

    def __init__(self, difference: float | None, low: float | None = None, high: float | None = None) -> None:
        detail = "" if low is None or high is None else f"{_points(low)}..{_points(high)}"
        super().__init__(_points(difference), detail, difference)

    @classmethod
    def of(cls, interval: Interval) -> Difference:
        return cls(interval.estimate, interval.low, interval.high)


class Bounds(Cell):
    """A lower and an upper bound of a rate (0 to 1), with a range that contains the intervals of both bounds.

    `low`: the lower end of the lower bound's interval. `high`: the upper end of the upper bound's interval.
    """

    def __init__(
        self, lower: float | None, upper: float | None, low: float | None = None, high: float | None = None
    ) -> None:
        figure = _percent(lower) if lower == upper else f"{_percent(lower)}-{_percent(upper)}"
        super().__init__(figure, Rate(lower, low, high).detail, lower)


class DifferenceBounds(Cell):
    """The bounds of a difference between rates (-1 to 1), shown in percentage points."""

    def __init__(self, lower: float | None, upper: float | None, low: float | None, high: float | None) -> None:
        super().__init__(f"{_points(lower)}..{_points(upper)}", Difference(lower, low, high).detail, lower)


class Sum(Cell):
    """A partly unknown sum. `unknown`: the number of addends that are unknown."""

    def __init__(self, known: float, unknown: int, form: str = ",.0f") -> None:
        figure = _UNKNOWN if unknown and not known else f"{known:{form}}"
        more = f"+{unknown:,} unknown" if unknown and known else ""
        super().__init__(figure, more, None if unknown else known)


class Share(Cell):
    def __init__(self, part: int, total: int) -> None:
        super().__init__(f"{part:,} / {total:,}", sort=part / total if total else None)


class Both(Cell):
    """A cell with two counts. A column of such cells is sorted by the first count."""

    def __init__(self, first: int, second: int, word: str = ", ") -> None:
        super().__init__(f"{first:,}{word}{second:,}", sort=first)


class PValue(Cell):
    def __init__(self, p: float | None) -> None:
        super().__init__("-" if p is None else "<0.0001" if p < 0.0001 else f"{p:.2g}", sort=p)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f}"


def _points(difference: float | None) -> str:
    return "-" if difference is None else f"{100 * difference:+.1f}"


@dataclass(frozen=True)
class Column:
    """A column. `width`: the number of characters on a terminal; 0 stands for the width of the longest cell."""

    name: str
    role: Role = "figure"
    width: int = 0


@dataclass(frozen=True)
class Table:
    """A title, rows of cells, and notes below them. `lines`: sentences shown instead of rows.

    `data`: one item per row, with the unrounded numbers of the row; JSON data in the tables of `report.sections`.
    `total`: a last row with sums over all rows.
    """

    title: str
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    data: tuple[Any, ...] = field(default=(), repr=False)
    total: tuple[Cell, ...] = ()

    @classmethod
    def of(
        cls,
        title: str,
        data: Sequence[Any],
        cells: Callable[[Any], Mapping[str, Cell]],
        note: str = "",
        widths: Mapping[str, int] | None = None,
        total: Mapping[str, Cell] | None = None,
    ) -> Table:
        """Build a table with one row per item of `data`. `cells`: returns the item's cells by column.

        A column is omitted if all its cells are "unknown".
        """
        made = [cells(row) for row in data]
        roles: dict[str, Role] = {}
        for row in made:
            for name, cell in row.items():
                roles.setdefault(name, cell.role)
        known = {name for row in made for name, cell in row.items() if cell.figure != _UNKNOWN}
        roles = {name: role for name, role in roles.items() if name in known}
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
        def cells(row: Mapping[str, Any]) -> dict[str, Cell]:
            return {name.replace("_", " "): Text(_plain(value), "text") for name, value in row.items()}

        return cls.of("", rows, cells)

    def needed(self, *, first: bool = False) -> list[int]:
        """Return the indices of the columns to show. A column with the role "name" or "heading" is omitted if all rows
        have the same value in this column.

        `first`: always keep column 0.
        """
        return [
            place
            for place, column in enumerate(self.columns)
            if column.role not in ("heading", "name")
            or (first and place == 0)
            or len({str(row[place]) for row in self.rows}) > 1
        ]

    def renamed(self, shown: Callable[[str, str], str]) -> Table:
        """Return a copy of the table in which the function `shown` replaces the text of each text cell.

        `shown` takes a column name and the original text, and returns the text to display.
        """

        def cell(column: Column, old: Cell) -> Cell:
            if not isinstance(old, Text):
                return old
            return Text(shown(column.name, old.figure), old.role, old.detail, old.address)

        rows = tuple(tuple(map(cell, self.columns, row)) for row in self.rows)
        return replace(self, rows=rows)

    def numeric(self, place: int) -> bool:
        """Whether the column at index `place` is sorted numerically."""
        return not any(isinstance(row[place].sort, str) for row in self.rows)

    @property
    def texts(self) -> list[dict[str, str]]:
        return [{column.name: str(cell) for column, cell in zip(self.columns, row, strict=True)} for row in self.rows]

    def to_json(self) -> dict[str, Any]:
        """Return {"title", "note", "rows", "shown"}. "rows" is `data`; "shown" contains the printed cells."""
        return {"title": self.title, "note": " ".join(self.notes), "rows": list(self.data), "shown": self.texts}


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return "" if value is None else str(value)
