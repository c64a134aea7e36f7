"""QuanBench+'s Table 1 with intervals: Pass@1 with starter code or prefill minus without."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.effects import prefill_differences
from repair_bench.traces.plots.prefill import KINDS, comparisons
from repair_bench.traces.sections.base import Row, Section, Studied, interval, points


def section(run: Studied) -> Section:
    """One row a model and setting, where two conditions differ in that setting alone."""
    rows = []
    for without, with_, kind in comparisons(run.paths, run.manifest):
        base, other = ([e for e in run.paths if e.first.condition == name] for name in (without, with_))
        rows += [
            {
                "setting": kind,
                "model": row.model,
                "without": without,
                "with": with_,
                "frameworks": {name: interval(i, "difference") for name, i in row.by_framework.items()},
                "average": interval(row.average, "difference"),
            }
            for row in prefill_differences(base, other, run.repairs)
        ]
    return Section(
        "Pass@1 with starter code or prefill minus without, in points",
        "Paired by task, with 95% intervals. average: the mean of the frameworks' differences (QuanBench+, Table 1).",
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    frameworks = {name: points(cell) for name, cell in row["frameworks"].items()}
    return {"setting": KINDS[row["setting"]], "model": row["model"], **frameworks, "average": points(row["average"])}
