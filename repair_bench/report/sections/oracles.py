"""Agreement of the published tests and the oracles."""

from __future__ import annotations

from repair_bench.analysis.runs.oracles import both_verdicts
from repair_bench.report.sections.base import KEYS, RunData, first_few, named, named_groups
from repair_bench.report.table import Count, Share, Table


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        found = both_verdicts(members)
        if found.answers:
            rows.append({**names, **vars(found), "disputed": list(found.disputed)})
    return Table.of(
        "Oracles beside the published tests",
        rows,
        lambda row: {
            **named(row, KEYS),
            "tasks with one": Share(row["with_oracle"], row["tasks"], "of"),
            "answers": Count(row["answers"]),
            "both pass": Count(row["both_pass"]),
            "both fail": Count(row["both_fail"]),
            "fails, right": Count(row["fails_right"]),
            "passes, wrong": Count(row["passes_wrong"]),
            "on": first_few(row["disputed"]),
        },
        "The verdicts of this report are the oracles' where a task has one, the published test's elsewhere. "
        "fails, right: what the published test fails and the oracle accepts; passes, wrong: the reverse.",
    )
