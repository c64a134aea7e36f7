"""Understanding and application: failed repairs split by the decoding probe."""

from __future__ import annotations

from repair_bench.analysis.feedback_use.understanding import understanding
from repair_bench.analysis.feedback_use.use import grouped
from repair_bench.report.sections.base import KEYS, RunData, fields, interval, named, rate
from repair_bench.report.table import Count, Table, Text

_COUNTS = ("applied", "not_applied", "not_understood", "guessed", "determined")


def section(run: RunData) -> Table:
    rows = [
        {
            **dict(zip(KEYS, key, strict=True)),
            "bits": str(bits),
            **fields(found, *_COUNTS),
            "decoding": interval(found.decoding),
            "application": interval(found.application),
        }
        for (*key, bits), members in grouped(run.observed).items()
        if (found := understanding(members)) is not None
    ]
    return Table.of(
        "Understood and applied: repairs by the decoding probe before them",
        rows,
        lambda row: {
            **named(row, KEYS),
            "bits": Text(row["bits"], "name"),
            "repairs": Count(row["decoding"]["n"]),
            "understood,\napplied": Count(row["applied"]),
            "understood,\nnot applied": Count(row["not_applied"]),
            "not\nunderstood": Count(row["not_understood"]),
            "guessed": Count(row["guessed"]),
            "determined": Count(row["determined"]),
            "decoding": rate(row["decoding"]),
            "application": rate(row["application"]),
        },
        "understood: the reply to the probe names the true option of every open convention, or options with the same "
        "answers. applied: the repair passed. guessed: the repair passed, but the probe was not answered correctly. "
        "determined: repairs before which the feedback left a single choice of options. decoding: % understood. "
        "application: % of the understood repairs that passed. 95% intervals clustered by problem.",
        widths={"bits": 6, "repairs": 8, "guessed": 8}
        | dict.fromkeys(("understood,\napplied", "understood,\nnot applied", "not\nunderstood"), 12)
        | dict.fromkeys(("determined", "decoding", "application"), 12),
    )
