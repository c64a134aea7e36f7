"""Tables as data, and their output on a terminal."""

import pytest
from printing import terminal_text

from repair_bench.analysis.rates.intervals import Interval
from repair_bench.report import terminal
from repair_bench.report.table import (
    Both,
    Bounds,
    Column,
    Count,
    Difference,
    Number,
    PValue,
    Rate,
    Share,
    Sum,
    Table,
    Text,
    Unknown,
)

NOTHING = Interval(None, None, None, 0, 0)


def printed(table, width=80):
    return terminal_text(terminal.table(table, width), width)


@pytest.mark.parametrize(
    ("cell", "text", "sort"),
    [
        (Rate(0.8314, 0.789, 0.867), "83.1 (78.9-86.7)", 0.8314),
        (Rate(1.0, 0.9, 1.0), "100.0 (90.0-100.0)", 1.0),
        (Rate(0.5), "50.0", 0.5),
        (Rate.of(NOTHING), "-", None),
        (Rate(None, 0.5, 0.6, "not given"), "not given (50.0-60.0)", None),
        (Difference(-0.042, -0.3, 0.216), "-4.2 (-30.0..+21.6)", -0.042),
        (Difference.of(NOTHING), "-", None),
        (Bounds(0.1, 0.25), "10.0-25.0", 0.1),
        (Bounds(0.1, 0.1), "10.0", 0.1),
        (Count(12_345), "12,345", 12_345),
        (Number(0.25, ",.4f", "USD"), "0.2500 USD", 0.25),
        (Number(None, ",.1f", word="unknown"), "unknown", None),
        (Sum(1234, 0), "1,234", 1234),
        (Sum(0.25, 2, ",.4f"), "0.2500 (+2 unknown)", None),
        (Sum(0, 2), "unknown", None),
        (Share(2, 7), "2 / 7", 2 / 7),
        (Share(0, 0), "0 / 0", None),
        (Both(3, 1), "3, 1", 3),
        (PValue(0.00001), "<0.0001", 0.00001),
        (PValue(0.0412), "0.041", 0.0412),
        (Text("cirq", "name", "n 12"), "cirq (n 12)", "cirq"),
        (Unknown("not given"), "not given", None),
    ],
)
def test_cells_have_a_text_and_a_sort_key(cell, text, sort):
    assert str(cell) == text
    assert cell.sort == sort


def test_rates_with_intervals_have_bars():
    assert Rate(0.5, 0.4, 0.6).bar == (0.5, 0.4, 0.6)
    assert Rate(0.5).bar is None
    assert Rate(None, 0.4, 0.6).bar is None
    assert Count(3).bar is None


def test_missing_cells_are_unknown():
    data = [{"name": "a", "cirq": 1}, {"name": "b", "qiskit": 2}]
    made = Table.of("T", data, lambda row: {key: Count(n) if key != "name" else Text(n) for key, n in row.items()}, "N")
    assert made.to_json() == {
        "title": "T",
        "note": "N",
        "rows": data,
        "shown": [{"name": "a", "cirq": "1", "qiskit": "-"}, {"name": "b", "cirq": "-", "qiskit": "2"}],
    }


def test_constant_names_are_hidden():
    rows = [
        {"model": Text("m", "heading"), "framework": Text(name, "name"), "n": Count(1)} for name in ("cirq", "qiskit")
    ]
    made = Table.of("T", rows, dict)
    assert [made.columns[place].name for place in made.needed()] == ["framework", "n"]
    assert [made.columns[place].name for place in made.needed(first=True)] == ["model", "framework", "n"]
    assert [made.numeric(place) for place in range(3)] == [False, False, True]


def test_listing_shows_plain_values():
    made = Table.listing([{"task_id": "01", "packages": {"qiskit": "2.0", "aer": "1"}, "note": None}])
    assert made.texts == [{"task id": "01", "packages": "qiskit 2.0, aer 1", "note": ""}]
    assert made.needed() == [0, 1, 2]


def test_fixed_columns_wrap_into_blocks_with_names():
    heads = [Column(f"FB@{k}", width=11) for k in range(9)]
    rows = [(Text(f, "name", "n 3"), *[Rate(k / 9, 0.0, 1.0) for k in range(9)]) for f in ("cirq", "qiskit")]
    text = printed(Table("Solved", (Column("framework", "name", 14), *heads), tuple(rows)))
    assert max(map(len, text.splitlines())) <= 80
    assert "Solved, continued" in text
    assert text.count("n 3") == 4
    for k in range(9):
        assert text.count(f"FB@{k}") == 1


def test_long_headings_are_broken():
    column = Column("incomplete", width=8)
    assert "incom-\n   plete" in printed(Table("T", (column,), ((Count(1),),)))
    assert "incomplete" in printed(Table("T", (Column(column.name, width=12),), ((Count(1),),)))


def test_no_control_character_reaches_a_terminal():
    row = (Text("a\x1b[2J", "heading"), Text("b\x1b[31m", "name"), Text("c\x07"))
    columns = (Column("model", "heading"), Column("name", "name"), Column("x"))
    made = Table("T\x1b[0m", columns, (row, (Text("d", "heading"), Text("e", "name"), Text("f"))), ("N\x1b",))
    assert not set(printed(made)) & {"\x1b", "\x07"}
