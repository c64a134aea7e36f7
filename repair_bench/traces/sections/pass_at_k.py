"""Pass@1, Pass@5 and Pass@10 of first answers, as far as there are samples."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.pass_at_k import fewest_samples, pass_at_k_interval
from repair_bench.traces.metrics import group
from repair_bench.traces.sections.base import Row, Section, Studied, firsts, interval, percent

KS = (1, 5, 10)
_KEYS = ("model", "suite", "prompt", "framework")


def section(run: Studied) -> Section:
    """One row a model, suite, prompt and framework, and one for all frameworks; none with a single sample a task."""
    rows = []
    for key, members in group(firsts(run), "model", "suite", "condition").items():
        frameworks = {str(name): part for (name,), part in group(members, "framework").items()}
        parts = {**frameworks, **({"all": members} if len(frameworks) > 1 else {})}
        for framework, part in parts.items():
            samples = fewest_samples(part, run.repairs)
            if samples > 1:
                ks = [k for k in KS if k <= samples]
                at = [{"k": k, **interval(pass_at_k_interval(part, run.repairs, k))} for k in ks]
                named = dict(zip(_KEYS, (*key, framework), strict=True))
                rows.append({**named, "samples": samples, "pass_at": at})
    fewest = min((row["samples"] for row in rows), default=0)
    lacking = [f"Pass@{k} needs {k} samples of each task." for k in KS if k > fewest]
    return Section(
        "Pass@k of first answers, in %",
        " ".join(["Unbiased (Chen et al., 2021); 95% intervals over problems.", *lacking]),
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    found = {point["k"]: percent(point) for point in row["pass_at"]}
    named = {**{key: str(row[key]) for key in _KEYS}, "samples": str(row["samples"])}
    return {**named, **{f"Pass@{k}": found.get(k, "-") for k in KS}}
