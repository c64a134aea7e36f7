"""Pass@1, Pass@5 and Pass@10 of first answers, if there are enough samples."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.comparing.arms import firsts
from repair_bench.analysis.rates.metrics import group
from repair_bench.analysis.rates.pass_at_k import KS, fewest_samples, pass_at_k_interval
from repair_bench.report.sections.base import RunData, interval, named, rate
from repair_bench.report.table import Cell, Count, Table, Unknown

_KEYS = ("model", "suite", "prompt", "framework")


def section(run: RunData) -> Table:
    """Return one row per model, suite, prompt and framework, and rows for all frameworks together.

    The table is empty if each task has only one sample.
    """
    rows = []
    for key, members in group(firsts(run.episodes), "model", "suite", "condition").items():
        frameworks = {str(name): part for (name,), part in group(members, "framework").items()}
        parts = frameworks | ({"all": members} if len(frameworks) > 1 else {})
        for framework, part in parts.items():
            samples = fewest_samples(part)
            if samples > 1:
                ks = [k for k in KS if k <= samples]
                at = [{"k": k, **interval(pass_at_k_interval(part, k))} for k in ks]
                row = dict(zip(_KEYS, (*key, framework), strict=True))
                rows.append({**row, "samples": samples, "pass_at": at})
    samples = min((row["samples"] for row in rows), default=0)
    missing = [f"Pass@{k} needs {k} samples per task." for k in KS if k > samples]
    return Table.of(
        "Pass@k of first answers, in %",
        rows,
        _cells,
        " ".join(["Unbiased estimator (Chen et al., 2021); 95% intervals clustered by problem.", *missing]),
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    points = {point["k"]: rate(point) for point in row["pass_at"]}
    rates = {f"Pass@{k}": points.get(k, Unknown()) for k in KS}
    return {**named(row, _KEYS), "samples per task": Count(row["samples"]), **rates}
