"""The sections of a report: each module answers one question, with a `Table` of results from `analysis`.

To add a section, write a function `section(run) -> Table` and add a line to `SECTIONS`; the terminal, the page and
`--json` then show it. Empty tables are omitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

from repair_bench.report.sections.base import RunData, run_data
from repair_bench.report.table import Table

__all__ = ["ON_PAGE", "SECTIONS", "SUMMARY", "RunData", "data", "run_data", "tables"]

_HERE = "repair_bench.report.sections"
SUMMARY = {
    "rates": f"{_HERE}.rates:section",
    "rates-sound": f"{_HERE}.rates:sound",
    "rates-sealed": f"{_HERE}.rates:sealed",
    "counts": f"{_HERE}.counts:section",
    "roles": f"{_HERE}.counts:by_role",
}
"""The first tables of a report, which are also shown at the end of a run. Their JSON form is `analysis.summary`."""
SECTIONS = {
    "horizon": f"{_HERE}.horizon:section",
    "horizon_ratios": f"{_HERE}.horizon:ratios",
    "horizon_slacks": f"{_HERE}.horizon:slacks",
} | {
    name: f"{_HERE}.{name}:section"
    for name in (
        "evidence",
        "information",
        "understanding",
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
"""The sections in printed order, keyed by their names in JSON."""
ON_PAGE = {
    "failures": f"{_HERE}.failures:section",
    "by-category": f"{_HERE}.solved_by:category",
    "by-difficulty": f"{_HERE}.solved_by:difficulty",
}
"""Tables that are shown only on the page, because they are too wide for a terminal."""


def tables(run: RunData, names: Mapping[str, str]) -> dict[str, Table]:
    """Return the nonempty tables of the given sections, with short names.

    Raises UsageError if the certificate is for a different suite or rule.
    """
    made: dict[str, Table] = {name: resolve_name(place)(run) for name, place in names.items()}
    return {name: table.renamed(run.names.of) for name, table in made.items() if table.rows or table.lines}


def data(run: RunData) -> dict[str, Any]:
    """Return the tables of `SECTIONS` as JSON data (see `Table.to_json`), keyed by name."""
    return {name: table.to_json() for name, table in tables(run, SECTIONS).items()}
