"""Agreement of the published tests and the oracles."""

from __future__ import annotations

from repair_bench.analysis.runs.oracles import both_verdicts
from repair_bench.report.sections.base import KEYS, RunData, first_few, named, named_groups
from repair_bench.report.table import Count, Share, Table


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        found = both_verdicts(members)
        if found["answers"]:
            rows.append({**names, **found})
    return Table.of(
        "Oracles compared with published tests",
        rows,
        lambda row: {
            **named(row, KEYS),
            "tasks with an oracle": Share(row["with_oracle"], row["tasks"]),
            "answers": Count(row["answers"]),
            "both pass": Count(row["both_pass"]),
            "both fail": Count(row["both_fail"]),
            "only oracle passes": Count(row["fails_right"]),
            "only test passes": Count(row["passes_wrong"]),
            "disputed tasks": first_few(row["disputed"]),
        },
        "Verdicts of this report are the oracle's if a task has one, otherwise the published test's. The other columns "
        "count answers.",
    )
