"""How alike the accepted first answers of several models are (QuantumKatas, section 6.4)."""

from __future__ import annotations

import math
from typing import Any

from repair_bench.traces.analysis.diversity import HIGHLY_DIVERSE, NEAR_IDENTICAL, diversity
from repair_bench.traces.analysis.sampling import MOST, sample
from repair_bench.traces.metrics import counted, group
from repair_bench.traces.sections.base import Row, Section, Studied, firsts

_SHARES = {
    "mean": "alike",
    "near_identical": "near-identical",
    "highly_diverse": "diverse",
    "same_family": "same family",
    "other_family": "other families",
}
"""By their names in `Diversity`, and as printed."""


def section(run: Studied) -> Section:
    """One row a suite and prompt with two models or more that solved the same tasks."""
    rows: list[dict[str, Any]] = []
    some = ""
    for (suite, condition), members in group(counted(firsts(run), run.repairs), "suite", "condition").items():
        models = len({e.first.model for e in members})
        if models < 2:
            continue
        tasks = list(group(members, "task_id", "framework").values())
        drawn = sample(tasks, max(1, MOST // math.comb(models, 2)))
        some = " Some tasks, drawn at random." if len(drawn) < len(tasks) else some
        found = diversity([e for part in drawn for e in part], run.repairs)
        if found.pairs:
            rows.append({"suite": suite, "condition": condition, "models": models, **vars(found)})
    return Section(
        "How alike accepted first answers of different models are, in %",
        "Over tasks that every model solved, a pair for each two models: the mean ratio of their syntax node types, by "
        f"difflib; the shares of pairs above {NEAR_IDENTICAL:g} and below {HIGHLY_DIVERSE:g}; the mean in one family "
        f"of models and across.{some}",
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    return {
        "suite": row["suite"],
        "condition": row["condition"],
        "models": str(row["models"]),
        "tasks": f"{row['tasks']:,}",
        **{shown: "-" if row[name] is None else f"{100 * row[name]:.1f}" for name, shown in _SHARES.items()},
    }
