"""Where the published tests and the oracles disagree."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.rates.metrics import group
from repair_bench.analysis.runs.oracles import both_verdicts
from repair_bench.report.sections.base import RunData, named
from repair_bench.report.table import Cell, Count, Share, Table, Text

_KEYS = ("model", "suite", "condition")
_MAX_TASKS = 4
"""Tasks that are printed."""


def section(run: RunData) -> Table:
    """One row a model, suite and condition with answers that an oracle judged."""
    rows = []
    for key, members in group(run.episodes, *_KEYS).items():
        found = both_verdicts(members)
        if found.answers:
            rows.append({**dict(zip(_KEYS, key, strict=True)), **vars(found), "disputed": list(found.disputed)})
    return Table.of(
        "Oracles beside the published tests",
        rows,
        _cells,
        "The verdicts of this report are the oracles' where a task has one, the published test's elsewhere. "
        "fails, right: what the published test fails and the oracle accepts; passes, wrong: the reverse.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    disputed = row["disputed"]
    more = f" and {len(disputed) - _MAX_TASKS} more" if len(disputed) > _MAX_TASKS else ""
    return {
        **named(row, _KEYS),
        "tasks with one": Share(row["with_oracle"], row["tasks"], "of"),
        "answers": Count(row["answers"]),
        "both pass": Count(row["both_pass"]),
        "both fail": Count(row["both_fail"]),
        "fails, right": Count(row["fails_right"]),
        "passes, wrong": Count(row["passes_wrong"]),
        "on": Text(", ".join(disputed[:_MAX_TASKS]) + more),
    }
