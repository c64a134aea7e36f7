"""Show on one screen the minimum detectable effects of a study, with one row per pair of arms or models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.report.sections.base import solved_within
from repair_bench.report.sections.planned import power
from repair_bench.report.table import Cell, Count, Rate, Table, Text
from repair_bench.text import count

_FIGURES = {"MDE": "detectable", "MDE, Holm": "holm", "MDE, +10%": "more"}
"""Maps the heading of each column that shows a minimum detectable effect (MDE) to the key of this effect in a plan."""


def summary(planned: Mapping[str, Any]) -> Table:
    """Return a table in which each pair of arms or models has one row for each number of repairs. Cells show ranges
    over all comparisons.
    """
    listed = power(planned, summarized=True)
    compared = planned["power"]["comparisons"]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in compared:
        key = f"{row['other']} - {row['baseline']}", solved_within(row["k"])
        groups.setdefault(key, []).append(row)
    if not groups:
        return listed
    shown = [name for name in listed.texts[0] if name in _FIGURES]

    def cells(rows: Mapping[str, Any]) -> dict[str, Cell]:
        return {
            "compared": Text(rows["compared"], "text"),
            "metric": Text(rows["of"]),
            "comparisons": Count(len(rows["rows"])),
            "problems": Text(_range([f"{n:,}" for n in sorted(row["problems"] for row in rows["rows"])])),
            **{name: Text(_figures(rows["rows"], _FIGURES[name])) for name in shown},
        }

    data = [{"compared": names, "of": of, "rows": rows} for (names, of), rows in groups.items()]
    undetectable = sum(row["most"] is not None for row in compared)
    few = f"Too few problems to detect any difference: {undetectable:,} of {count(len(compared), 'comparison')}."
    explained = (
        "comparisons: for a pair of arms, one per suite and model; for a pair of models, one per suite and condition. "
        "All other columns show the lowest and the highest value over these comparisons."
    )
    more = [
        explained,
        *([few] if undetectable else []),
        *listed.notes,
        "--plan --full shows each comparison.",
    ]
    return Table.of(listed.title, data, cells, " ".join(more))


def _figures(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    known = sorted(row[name] for row in rows if row[name] is not None)
    words = sorted({"none" if row["unknown"] is None else "unknown" for row in rows if row[name] is None})
    return _range([*(str(Rate(value)) for value in known), *words])


def _range(values: Sequence[str]) -> str:
    return values[0] if values[0] == values[-1] else f"{values[0]} to {values[-1]}"
