"""Published figures and their sources, one JSON file per paper. Missing figures are None, with the reason."""

from __future__ import annotations

import json
from dataclasses import dataclass, make_dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from repair_bench.traces.faults import UsageError

PAPERS = ("quanbench-plus", "quantum-katas", "qiskit-humaneval")
"""The papers with tables for comparison."""


@dataclass(frozen=True)
class Paper:
    """The figures of one paper.

    `caveats`: limits of a comparison. `missing`: figures that the paper does not report, with the reasons. `tables`:
    the rows of each table; columns are attributes, rates are in percent.
    """

    name: str
    title: str
    source: str
    caveats: tuple[str, ...]
    missing: dict[str, str]
    tables: dict[str, tuple[Any, ...]]


@cache
def load(name: str) -> Paper:
    """Return the figures of one of `PAPERS`. Raises UsageError for another name."""
    if name not in PAPERS:
        raise UsageError(f"Unknown paper {name!r}. Choose from {', '.join(PAPERS)}.")
    text = files(__package__).joinpath(f"{name.replace('-', '_')}.json").read_text(encoding="utf-8")
    data = json.loads(text)
    tables = {name: _rows(stored["columns"], stored["rows"]) for name, stored in data["tables"].items()}
    return Paper(name, data["title"], data["source"], tuple(data["caveats"]), data["missing"], tables)


def _rows(columns: list[str], rows: list[list[Any]]) -> tuple[Any, ...]:
    row = make_dataclass("Row", columns, frozen=True)
    return tuple(row(*values) for values in rows)
