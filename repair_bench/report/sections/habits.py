"""What models do with their own failed answers: repeat them, go back to earlier ones, get further or not."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.answers import habits
from repair_bench.analysis.metrics import group
from repair_bench.analysis.sampling import MOST, sample
from repair_bench.report.sections.base import Studied, interval, named, rate
from repair_bench.report.table import Cell, Count, Number, Table

_KEYS = ("model", "suite", "condition")
_SHARES = {"repeated": "same", "returned": "earlier", "regressed": "less far", "progressed": "further"}
"""By their names in `Habits`, and as printed."""


def section(run: Studied) -> Table:
    """One row a model, suite and condition that made repairs."""
    repaired = [e for e in run.episodes if len(e.known) > 1]
    drawn = sample(repaired, MOST)
    rows = []
    for key, members in group(drawn, *_KEYS).items():
        shares = habits(members, run.repairs)
        rows.append(
            {
                **dict(zip(_KEYS, key, strict=True)),
                "repairs": shares.steps,
                **{name: interval(getattr(shares, name)) for name in _SHARES},
                "lines": shares.lines,
            }
        )
    some = f" Of {len(repaired):,} episodes {MOST:,}, drawn at random." if len(drawn) < len(repaired) else ""
    return Table.of(
        "What repairs do, in % of them",
        rows,
        _cells,
        "Same: the code of the attempt before, but for layout and comments. Earlier: that of another one before. "
        "Less far: it fails at an earlier stage (no code, ends early, wrong form, wrong value). Lines: added and "
        f"removed, the median.{some} 95% intervals over problems.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, _KEYS),
        "repairs": Count(row["repairs"]),
        **{shown: rate(row[name]) for name, shown in _SHARES.items()},
        "lines": Number(row["lines"], "g"),
    }
