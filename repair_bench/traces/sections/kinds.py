"""How well failures are repaired, by the kind of the first one."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.repairs import repair_rates
from repair_bench.traces.metrics import group
from repair_bench.traces.sections.base import Row, Section, Studied, interval, percent

_KEYS = ("model", "suite", "condition")


def section(run: Studied) -> Section:
    """One row a model, suite, condition and class of the first answer's failure; none without repairs."""
    rows = []
    for key, members in group(run.paths, *_KEYS).items() if run.repairs else ():
        for name, found in repair_rates(members, run.repairs).items():
            rows.append(
                {
                    **dict(zip(_KEYS, key, strict=True)),
                    "failure": name,
                    "failed": found.failed,
                    "solved_by": list(found.by),
                    "final": interval(found.final),
                }
            )
    return Section(
        f"Repaired within {run.repairs} attempts, by how the first answer failed, in %",
        "Frameworks and samples together; 95% intervals over problems.",
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    return {
        **{key: str(row[key]) for key in _KEYS},
        "first answer": row["failure"],
        "failed": f"{row['failed']:,}",
        "after 1 repair": f"{100 * row['solved_by'][1] / row['failed']:.1f}",
        "in the end": percent(row["final"]),
    }
