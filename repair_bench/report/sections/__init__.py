"""What a report says, one section a question: a module that makes a `Table` of what a question in `analysis` answers.

A new section is one function, `section(run) -> Table`, and one line in `SECTIONS`: the terminal, the page and `--json`
show it. A table without rows and without words is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

from repair_bench.report.sections.base import RunData, studied
from repair_bench.report.table import Table

__all__ = ["ON_PAGE", "SECTIONS", "SUMMARY", "RunData", "data", "studied", "tables"]

_HERE = "repair_bench.report.sections"
SUMMARY = {
    "rates": f"{_HERE}.rates:section",
    "rates-sound": f"{_HERE}.rates:sound",
    "rates-sealed": f"{_HERE}.rates:sealed",
    "counts": f"{_HERE}.counts:section",
}
"""The tables that stand first, also when a run ends; as JSON they are `analysis.summary`."""
SECTIONS = {
    name: f"{_HERE}.{name}:section"
    for name in (
        "information",
        "bounds",
        "frameworks",
        "pass_at_k",
        "best",
        "prefill",
        "effects",
        "equal_budget",
        "trying",
        "stopping",
        "net_gain",
        "oracles",
        "leaks",
        "endings",
        "faults",
        "tokens",
    )
}
"""The sections in their order, by the name that they have in JSON."""
ON_PAGE = {
    "failures": f"{_HERE}.failures:section",
    "by-category": f"{_HERE}.solved_by:category",
    "by-difficulty": f"{_HERE}.solved_by:difficulty",
}
"""What is too wide for a terminal, and stands on the page alone."""


def tables(run: RunData, names: Mapping[str, str]) -> dict[str, Table]:
    """Those of some sections that have something to say, with the short names of the run.

    Raises UsageError when the run's certificate is of another suite or rule.
    """
    made: dict[str, Table] = {name: resolve_name(place)(run) for name, place in names.items()}
    return {name: table.renamed(run.names.of) for name, table in made.items() if table.rows or table.lines}


def data(run: RunData) -> dict[str, Any]:
    """`SECTIONS` as JSON data: {"title", "note", "rows", "shown"} by name; `shown`: rows as printed."""
    return {name: table.to_json() for name, table in tables(run, SECTIONS).items()}
