"""How alike the accepted first answers of several models are (QuantumKatas, section 6.4)."""

from __future__ import annotations

import math
from typing import Any

from repair_bench.analysis.arms import firsts
from repair_bench.analysis.diversity import HIGHLY_DIVERSE, NEAR_IDENTICAL, diversity
from repair_bench.analysis.metrics import counted, group
from repair_bench.analysis.sampling import MOST, sample
from repair_bench.report.sections.base import Studied, named
from repair_bench.report.table import Cell, Count, Rate, Table

_SHARES = {
    "mean": "alike",
    "near_identical": "near-identical",
    "highly_diverse": "diverse",
    "same_family": "same family",
    "other_family": "other families",
}
"""By their names in `Diversity`, and as printed."""


def section(run: Studied) -> Table:
    """One row a suite and prompt with two models or more that solved the same tasks."""
    rows: list[dict[str, Any]] = []
    some = ""
    for (suite, condition), members in group(counted(firsts(run.episodes), 0), "suite", "condition").items():
        models = len({e.first.model for e in members})
        if models < 2:
            continue
        tasks = list(group(members, "task_id", "framework").values())
        drawn = sample(tasks, max(1, MOST // math.comb(models, 2)))
        some = " Some tasks, drawn at random." if len(drawn) < len(tasks) else some
        likeness = diversity([e for part in drawn for e in part])
        if likeness.pairs:
            rows.append({"suite": suite, "condition": condition, "models": models, **vars(likeness)})
    return Table.of(
        "How alike accepted first answers of different models are, in %",
        rows,
        _cells,
        "Over tasks that every model solved, a pair for each two models: the mean ratio of their syntax node types, by "
        f"difflib; the shares of pairs above {NEAR_IDENTICAL:g} and below {HIGHLY_DIVERSE:g}; the mean in one family "
        f"of models and across.{some}",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, ("suite", "condition")),
        "models": Count(row["models"]),
        "tasks": Count(row["tasks"]),
        **{shown: Rate(row[name]) for name, shown in _SHARES.items()},
    }
