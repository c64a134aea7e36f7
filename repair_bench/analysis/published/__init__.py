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
class PublishedTable:
    """A table with its number or place in the text. Columns are attributes of `rows`; rates are in percent."""

    name: str
    where: str
    caption: str
    rows: tuple[Any, ...]


@dataclass(frozen=True)
class Paper:
    """The figures of one paper. `missing`: what the text does not report. `caveats`: limits of a comparison."""

    name: str
    title: str
    source: str
    caveats: tuple[str, ...]
    missing: dict[str, str]
    tables: dict[str, PublishedTable]

    def rows(self, table: str) -> tuple[Any, ...]:
        """Return the rows of a table. Raises KeyError for a missing table."""
        return self.tables[table].rows


@cache
def load(name: str) -> Paper:
    """Return the figures of one of `PAPERS`. Raises UsageError for another name."""
    if name not in PAPERS:
        raise UsageError(f"Unknown paper {name!r}. Choose from {', '.join(PAPERS)}.")
    text = files(__package__).joinpath(f"{name.replace('-', '_')}.json").read_text(encoding="utf-8")
    data = json.loads(text)
    tables = {key: _table(key, stored) for key, stored in data["tables"].items()}
    return Paper(name, data["title"], data["source"], tuple(data["caveats"]), data["missing"], tables)


def _table(name: str, stored: dict[str, Any]) -> PublishedTable:
    row = make_dataclass("Row", stored["columns"], frozen=True)
    return PublishedTable(name, stored["where"], stored["caption"], tuple(row(*values) for values in stored["rows"]))
