"""The table that every section makes, and the only place where a figure becomes text.

`terminal` prints any table, `page` shows it as HTML, `Table.to_json` gives its data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from repair_bench.analysis.intervals import Interval

Role = Literal["heading", "name", "text", "figure"]
"""What a column is for. A name says what a row is of, and is left out where it is the same in all; a heading is a name
that can be long. A text is neither name nor figure.
"""


class Cell:
    """One place of a table: a `figure`, and what stands in brackets after it or small below it."""

    role: Role = "figure"

    @property
    def figure(self) -> str:
        """The figure as text."""
        raise NotImplementedError

    @property
    def detail(self) -> str:
        """An interval, or what else belongs to the figure; empty without."""
        return ""

    @property
    def sort(self) -> float | str | None:
        """What a column is sorted by; None, which comes last, for what is not known."""
        return None

    @property
    def bar(self) -> tuple[float, float, float] | None:
        """A rate and its interval in 0..1, where there is one to draw."""
        return None

    address: str = ""
    """What a page links it to; empty for nothing."""

    def __str__(self) -> str:
        return f"{self.figure} ({self.detail})" if self.detail else self.figure


@dataclass(frozen=True)
class Text(Cell):
    """Words."""

    value: str
    role: Role = "figure"
    more: str = ""
    address: str = ""

    @property
    def figure(self) -> str:
        return self.value

    @property
    def detail(self) -> str:
        return self.more

    @property
    def sort(self) -> str:
        return self.value


@dataclass(frozen=True)
class Unknown(Cell):
    """A figure that is not there, and the word for it."""

    word: str = "-"

    @property
    def figure(self) -> str:
        return self.word


@dataclass(frozen=True)
class Count(Cell):
    """A whole number of things."""

    n: int

    @property
    def figure(self) -> str:
        return f"{self.n:,}"

    @property
    def sort(self) -> int:
        return self.n


@dataclass(frozen=True)
class Number(Cell):
    """Any other number, by a format of Python's, with its unit and its interval where it has one; `word` stands for
    None.
    """

    value: float | None
    form: str
    unit: str = ""
    word: str = "-"
    low: float | None = None
    high: float | None = None

    @property
    def figure(self) -> str:
        return self.word if self.value is None else f"{self.value:{self.form}} {self.unit}".rstrip()

    @property
    def detail(self) -> str:
        return "" if self.low is None or self.high is None else f"{self.low:{self.form}}..{self.high:{self.form}}"

    @property
    def sort(self) -> float | None:
        return self.value


@dataclass(frozen=True)
class Rate(Cell):
    """A rate in 0..1, shown in %, with its interval where it has one; `word` stands for None."""

    rate: float | None
    low: float | None = None
    high: float | None = None
    word: str = "-"

    @classmethod
    def of(cls, interval: Interval) -> Rate:
        return cls(interval.estimate, interval.low, interval.high)

    @property
    def figure(self) -> str:
        return self.word if self.rate is None else f"{100 * self.rate:.1f}"

    @property
    def detail(self) -> str:
        return "" if self.low is None or self.high is None else f"{100 * self.low:.1f}-{100 * self.high:.1f}"

    @property
    def sort(self) -> float | None:
        return self.rate

    @property
    def bar(self) -> tuple[float, float, float] | None:
        if self.rate is None or self.low is None or self.high is None:
            return None
        return self.rate, self.low, self.high


@dataclass(frozen=True)
class Difference(Cell):
    """A difference of rates in -1..1, shown in points, with its interval where it has one."""

    difference: float | None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, interval: Interval) -> Difference:
        return cls(interval.estimate, interval.low, interval.high)

    @property
    def figure(self) -> str:
        return "-" if self.difference is None else f"{100 * self.difference:+.1f}"

    @property
    def detail(self) -> str:
        return "" if self.low is None or self.high is None else f"{100 * self.low:+.1f}..{100 * self.high:+.1f}"

    @property
    def sort(self) -> float | None:
        return self.difference


@dataclass(frozen=True)
class Bounds(Cell):
    """A rate that lies between two, in 0..1. `low`, `high`: the outer ends of the intervals of both."""

    least: float | None
    most: float | None
    low: float | None = None
    high: float | None = None

    @property
    def figure(self) -> str:
        least, most = Rate(self.least).figure, Rate(self.most).figure
        return least if self.least == self.most else f"{least}-{most}"

    @property
    def detail(self) -> str:
        return Rate(self.least, self.low, self.high).detail

    @property
    def sort(self) -> float | None:
        return self.least


@dataclass(frozen=True)
class DifferenceBounds(Bounds):
    """A difference that lies between two, in -1..1, shown in points."""

    @property
    def figure(self) -> str:
        return f"{Difference(self.least).figure}..{Difference(self.most).figure}"

    @property
    def detail(self) -> str:
        return Difference(self.least, self.low, self.high).detail


@dataclass(frozen=True)
class Sum(Cell):
    """A sum of which a part may not be known. `unknown`: how many did not report the figure."""

    known: float
    unknown: int
    form: str = ",.0f"

    @property
    def figure(self) -> str:
        return "unknown" if self.unknown and not self.known else f"{self.known:{self.form}}"

    @property
    def detail(self) -> str:
        return f"+{self.unknown:,} unknown" if self.unknown and self.known else ""

    @property
    def sort(self) -> float | None:
        return None if self.unknown else self.known


@dataclass(frozen=True)
class Share(Cell):
    """So many of so many."""

    part: int
    whole: int
    word: str = "/"

    @property
    def figure(self) -> str:
        return f"{self.part:,} {self.word} {self.whole:,}"

    @property
    def sort(self) -> float | None:
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True)
class Both(Cell):
    """Two counts that belong together, sorted by the first."""

    first: int
    second: int
    word: str = ", "

    @property
    def figure(self) -> str:
        return f"{self.first:,}{self.word}{self.second:,}"

    @property
    def sort(self) -> int:
        return self.first


@dataclass(frozen=True)
class PValue(Cell):
    """A p-value; None where nothing was tested."""

    p: float | None

    @property
    def figure(self) -> str:
        if self.p is None:
            return "-"
        return "<0.0001" if self.p < 0.0001 else f"{self.p:.2g}"

    @property
    def sort(self) -> float | None:
        return self.p


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
            return replace(old, value=shown(column.name, old.value)) if isinstance(old, Text) else old

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
