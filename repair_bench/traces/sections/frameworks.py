"""All frameworks together, with intervals over problems."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.curves import curve_intervals
from repair_bench.traces.metrics import counted, group
from repair_bench.traces.sections.base import Row, Section, Studied, interval, percent

_KEYS = ("model", "suite", "condition")


def section(run: Studied) -> Section:
    """One row a model, suite and condition, where there are several frameworks."""
    rows = []
    for key, members in group(run.paths, *_KEYS).items():
        if len(group(members, "framework")) > 1:
            points = [{"k": k, **interval(i)} for k, i in enumerate(curve_intervals(members, run.repairs))]
            n = len(counted(members, run.repairs))
            rows.append({**dict(zip(_KEYS, key, strict=True)), "counted": n, "fb": points})
    return Section(
        "All frameworks together, in %",
        "95% intervals over problems: the framework twins and samples of a problem move together.",
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    named = {**{key: str(row[key]) for key in _KEYS}, "n": f"{row['counted']:,}"}
    return {**named, **{f"FB@{p['k']}" if p["k"] else "Pass@1": percent(p) for p in row["fb"]}}
