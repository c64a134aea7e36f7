"""Grader text that was redacted from feedback."""

from __future__ import annotations

from repair_bench.report.sections.base import KEYS, RunData, first_few, named, named_groups
from repair_bench.report.table import Count, Share, Table


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        feedbacks = [(a, a.feedback.redacted) for e in members for a in e.attempts if a.feedback is not None]
        if redacted := [(a, pieces) for a, pieces in feedbacks if pieces]:
            tasks = sorted({(a.task_id, a.framework) for a, _ in redacted})
            rows.append(
                {
                    **names,
                    "feedbacks": len(feedbacks),
                    "redacted": len(redacted),
                    "pieces": sum(pieces for _, pieces in redacted),
                    "tasks": [{"task_id": task, "framework": framework} for task, framework in tasks],
                }
            )
    return Table.of(
        "Redacted feedback: text from a test, a reference or a hidden input",
        rows,
        lambda row: {
            **named(row, KEYS),
            "redacted feedbacks": Share(row["redacted"], row["feedbacks"]),
            "redactions": Count(row["pieces"]),
            "tasks": first_few(list(dict.fromkeys(task["task_id"] for task in row["tasks"]))),
        },
        "The text was redacted before models received the feedback. A program may have printed the text by chance, or "
        "because the program read the source of its test.",
    )
