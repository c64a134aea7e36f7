"""Kinds of answers: complete, truncated, refused, filtered, empty."""

from __future__ import annotations

from repair_bench.analysis.runs.reply_kinds import FULL, endings
from repair_bench.report.sections.base import KEYS, RunData, named, named_groups
from repair_bench.report.table import Count, Share, Table, Text
from repair_bench.traces.record.printable import printable

WORDS = {
    "text": "text",
    "cut": "cut off",
    "cut_in_reasoning": "cut off in reasoning",
    "reasoning_only": "reasoning alone",
    "empty": "empty",
    "refusal": "refused by the model",
    "filtered": "withheld by a filter",
    "tool_calls": "a call of a tool",
    FULL: "none: context window full",
    None: "not recorded",
}
"""Kinds of replies as they are printed."""


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        found = endings(members)
        whole = sum(ending.answers for ending in found)
        rows += [{**names, **vars(ending), "of": whole} for ending in found]
    return Table.of(
        "How answers ended",
        rows,
        lambda row: {
            **named(row, KEYS),
            "reply": Text(WORDS[row["reply"]], "text"),
            "stopped by": Text(printable(row["finish_reason"] or "-"), "text"),
            "answers": Share(row["answers"], row["of"], "of"),
            "passed": Count(row["passed"]),
        },
        "The kind of reply, and why the model stopped, in its provider's word. All are judged alike; a model whose "
        "answer was cut off is told so.",
    )
