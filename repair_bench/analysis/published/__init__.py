"""The published figures, to be printed beside a run: figures and their source, no sentence of the papers.

One JSON file a paper. What the texts do not give is listed as missing, with the reason, and never guessed: a figure
that is not given is None.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, make_dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from repair_bench.traces.faults import UsageError

PAPERS = ("quanbench-plus", "quantum-katas", "qiskit-humaneval")
"""The papers with tables that a run is printed beside."""


@dataclass(frozen=True)
class PublishedTable:
    """One table. `where`: its number, or the part of the text it was gathered from. `rows`: with its
    columns as attributes; rates are in percent and differences in percentage points, as they were printed.
    """

    name: str
    where: str
    caption: str
    rows: tuple[Any, ...]


@dataclass(frozen=True)
class Paper:
    """The figures of one paper. `missing`: what the text does not hold. `caveats`: to be printed beside them."""

    name: str
    title: str
    source: str
    caveats: tuple[str, ...]
    missing: dict[str, str]
    tables: dict[str, PublishedTable]

    def rows(self, table: str) -> tuple[Any, ...]:
        """The rows of a table. Raises KeyError when the paper has none of that name, or it is missing."""
        return self.tables[table].rows


@cache
def load(name: str) -> Paper:
    """The figures of one of `PAPERS`. Raises UsageError for another name."""
    if name not in PAPERS:
        raise UsageError(f"no published figures are called {name!r}: choose from {', '.join(PAPERS)}")
    text = files(__package__).joinpath(f"{name.replace('-', '_')}.json").read_text(encoding="utf-8")
    data = json.loads(text)
    tables = {key: _table(key, stored) for key, stored in data["tables"].items()}
    return Paper(name, data["title"], data["source"], tuple(data["caveats"]), data["missing"], tables)


def _table(name: str, stored: dict[str, Any]) -> PublishedTable:
    row = make_dataclass("Row", stored["columns"], frozen=True)
    return PublishedTable(name, stored["where"], stored["caption"], tuple(row(*values) for values in stored["rows"]))
