"""Agreement between published unit tests and the oracles that replace them (rule `semantic`)."""

from __future__ import annotations

from collections import Counter

from repair_bench.report.sections.base import KEYS, RunData, first_few, named, named_groups
from repair_bench.report.table import Count, Share, Table


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        answers = {a.id: (a, a.verdict) for e in members for a in e.attempts if a.verdict is not None}
        judged = [(a, v.published == "pass") for a, v in answers.values() if v.published is not None]
        counts = Counter((published, a.passed) for a, published in judged)
        if judged:
            rows.append(
                {
                    **names,
                    "tasks": len({a.task_id for a, _ in answers.values()}),
                    "with_oracle": len({a.task_id for a, _ in judged}),
                    "answers": len(judged),
                    "both_pass": counts[True, True],
                    "both_fail": counts[False, False],
                    "fails_right": counts[False, True],
                    "passes_wrong": counts[True, False],
                    "disputed": sorted({a.task_id for a, published in judged if published != a.passed}),
                }
            )
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
        "In this report, the oracle of a task determines the verdict; without an oracle, the published test does. The "
        "other columns count answers.",
    )
