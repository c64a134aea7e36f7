"""Kinds of answers: complete, truncated, refused, filtered, empty."""

from __future__ import annotations

from repair_bench.analysis.runs.reply_kinds import FULL, endings
from repair_bench.report.sections.base import KEYS, RunData, named, named_groups
from repair_bench.report.table import Count, Share, Table, Text
from repair_bench.traces.record.printable import printable

WORDS = {
    "text": "text",
    "cut": "truncated",
    "cut_in_reasoning": "truncated in reasoning",
    "reasoning_only": "reasoning only",
    "empty": "empty",
    "refusal": "refused by the model",
    "filtered": "withheld by a filter",
    "tool_calls": "tool call",
    FULL: "none: context window full",
    None: "not recorded",
}
"""The printed name of each kind of reply."""


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        found = endings(members)
        answers = sum(ending.answers for ending in found)
        rows += [{**names, **vars(ending), "of": answers} for ending in found]
    return Table.of(
        "Kinds of answers",
        rows,
        lambda row: {
            **named(row, KEYS),
            "reply": Text(WORDS[row["reply"]], "text"),
            "finish reason": Text(printable(row["finish_reason"] or "-"), "text"),
            "answers": Share(row["answers"], row["of"]),
            "passed": Count(row["passed"]),
        },
        "finish reason: as reported by the provider. Every kind is graded. Feedback on a truncated answer reports the "
        "truncation.",
    )
