"""What models do with their own failed answers: repeat them, go back to earlier ones, get further or not."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.answers import habits
from repair_bench.traces.analysis.sampling import MOST, sample
from repair_bench.traces.metrics import counted, group
from repair_bench.traces.sections.base import Row, Section, Studied, interval, percent

_KEYS = ("model", "suite", "condition")
_SHARES = {"repeated": "same", "returned": "earlier", "regressed": "less far", "progressed": "further"}
"""By their names in `Habits`, and as printed."""


def section(run: Studied) -> Section:
    """One row a model, suite and condition that made repairs."""
    repaired = [e for e in counted(run.paths, run.repairs) if len(e.attempts) > 1]
    drawn = sample(repaired, MOST)
    rows = []
    for key, members in group(drawn, *_KEYS).items():
        found = habits(members, run.repairs)
        rows.append(
            {
                **dict(zip(_KEYS, key, strict=True)),
                "repairs": found.steps,
                **{name: interval(getattr(found, name)) for name in _SHARES},
                "lines": found.lines,
            }
        )
    some = f" Of {len(repaired):,} episodes {MOST:,}, drawn at random." if len(drawn) < len(repaired) else ""
    return Section(
        "What repairs do, in % of them",
        "Same: the code of the attempt before, but for layout and comments. Earlier: that of another one before. "
        "Less far: it fails at an earlier stage (no code, ends early, wrong form, wrong value). Lines: added and "
        f"removed, the median.{some} 95% intervals over problems.",
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    return {
        **{key: str(row[key]) for key in _KEYS},
        "repairs": f"{row['repairs']:,}",
        **{shown: percent(row[name]) for name, shown in _SHARES.items()},
        "lines": "-" if row["lines"] is None else f"{row['lines']:g}",
    }
