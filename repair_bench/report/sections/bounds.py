"""A regraded run: what FB@k can be at the least and at the most."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.bounds import bounds
from repair_bench.analysis.metrics import group
from repair_bench.analysis.notices import regraded
from repair_bench.report.sections.base import Studied, interval, named
from repair_bench.report.table import Bounds, Cell, Table

_KEYS = ("model", "suite", "condition", "framework")


def section(run: Studied) -> Table:
    """One row a model, suite, condition and framework of a regraded run; none of another."""
    rows = []
    for key, members in group(run.episodes, *_KEYS).items() if regraded(run.episodes, run.manifest) else ():
        points = [
            {"k": k, "least": interval(point.least), "most": interval(point.most), "censored": point.censored}
            for k, point in enumerate(bounds(members, run.repairs))
        ]
        rows.append({**dict(zip(_KEYS, key, strict=True)), "fb": points})
    return Table.of(
        "Bounds of FB@k, in %",
        rows,
        _cells,
        "Episodes end where the new verdict departs from what the model was told. At the least they are never solved, "
        "at the most at once. FB@0 is known.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    points = {f"FB@{point['k']}": Bounds(point["least"]["rate"], point["most"]["rate"]) for point in row["fb"]}
    return {**named(row, _KEYS), **points}
