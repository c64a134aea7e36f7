"""The published figures, to be printed beside a run: figures and their source, no sentence of the papers.

One JSON file a paper. What the texts do not give is listed as missing, with the reason, and never guessed: a figure
that is not given is None.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

from repair_bench.analysis.published import rows
from repair_bench.traces.faults import UsageError

PAPERS: dict[str, dict[str, type]] = {
    "quanbench-plus": {
        "table_1": rows.PrefillDifference,
        "table_2": rows.FeedbackRates,
        "table_6": rows.PassAt5,
        "error_shares": rows.ErrorShare,
    },
    "quantum-katas": {
        "table_6": rows.CategoryRate,
        "table_7": rows.ErrorCount,
        "models": rows.BestConfiguration,
        "tiers": rows.Tier,
    },
    "qiskit-humaneval": {
        "table_2": rows.GreedyPassAt1,
        "table_3": rows.PassedByDifficulty,
    },
}
"""The papers, the tables of them that a run is printed beside, and the type of each table's rows."""


@dataclass(frozen=True)
class PublishedTable:
    """One table. `where`: its number, or the part of the text it was gathered from. `rows`: of the type in `PAPERS`."""

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
        """The typed rows of a table. Raises KeyError when the paper has none of that name, or it is missing."""
        return self.tables[table].rows


@cache
def load(name: str) -> Paper:
    """The figures of one of `PAPERS`. Raises UsageError for another name."""
    if name not in PAPERS:
        raise UsageError(f"no published figures are called {name!r}: choose from {', '.join(PAPERS)}")
    text = files(__package__).joinpath(f"{name.replace('-', '_')}.json").read_text(encoding="utf-8")
    data = json.loads(text)
    tables = {key: _table(key, stored, PAPERS[name][key]) for key, stored in data["tables"].items()}
    return Paper(name, data["title"], data["source"], tuple(data["caveats"]), data["missing"], tables)


def _table(name: str, stored: dict[str, Any], row: type) -> PublishedTable:
    assert stored["columns"] == [field.name for field in fields(row)], name
    return PublishedTable(name, stored["where"], stored["caption"], tuple(row(*values) for values in stored["rows"]))
