"""How well failures are repaired, by the kind of the first one."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.metrics import group
from repair_bench.analysis.repairs import repair_rates
from repair_bench.report.sections.base import Studied, interval, named, rate
from repair_bench.report.table import Cell, Count, Rate, Table, Text

_KEYS = ("model", "suite", "condition")


def section(run: Studied) -> Table:
    """One row a model, suite, condition and class of the first answer's failure; none without repairs."""
    rows = []
    for key, members in group(run.episodes, *_KEYS).items() if run.repairs else ():
        for name, repaired in repair_rates(members, run.repairs).items():
            rows.append(
                {
                    **dict(zip(_KEYS, key, strict=True)),
                    "failure": name,
                    "failed": repaired.failed,
                    "solved_by": list(repaired.by),
                    "shares": [share.estimate for share in repaired.shares],
                    "final": interval(repaired.shares[-1]),
                }
            )
    return Table.of(
        f"Repaired within {run.repairs} attempts, by how the first answer failed, in %",
        rows,
        _cells,
        "Frameworks and samples together; 95% intervals over problems.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, _KEYS),
        "first answer": Text(row["failure"]),
        "failed": Count(row["failed"]),
        "after 1 repair": Rate(row["shares"][1]),
        "in the end": rate(row["final"]),
    }
