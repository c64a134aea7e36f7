"""A regraded run: what FB@k can be at the least and at the most."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.bounds import bounds
from repair_bench.traces.metrics import group
from repair_bench.traces.notices import regraded
from repair_bench.traces.sections.base import Row, Section, Studied, interval

_KEYS = ("model", "suite", "condition", "framework")


def section(run: Studied) -> Section:
    """One row a model, suite, condition and framework of a regraded run; none of another."""
    rows = []
    for key, members in group(run.paths, *_KEYS).items() if regraded(run.paths, run.manifest) else ():
        points = [
            {"k": k, "least": interval(point.least), "most": interval(point.most), "censored": point.censored}
            for k, point in enumerate(bounds(members, run.repairs))
        ]
        rows.append({**dict(zip(_KEYS, key, strict=True)), "fb": points})
    return Section(
        "Bounds of FB@k, in %",
        "Episodes end where the new verdict departs from what the model was told. At the least they are never solved, "
        "at the most at once. FB@0 is known.",
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    named = {key: str(row[key]) for key in _KEYS}
    return {**named, **{f"FB@{p['k']}": _span(p) for p in row["fb"]}}


def _span(point: dict[str, Any]) -> str:
    least, most = point["least"]["rate"], point["most"]["rate"]
    if least is None or most is None:
        return "-"
    return f"{100 * least:.1f}" if least == most else f"{100 * least:.1f}-{100 * most:.1f}"
