"""Repairs grouped by whether the model understood the open conventions, and by whether the model applied them.

A decoding probe shows whether the model understood the conventions.
"""

from __future__ import annotations

from repair_bench.analysis.feedback_use.use import grouped, understanding
from repair_bench.report.sections.base import KEYS, RunData, interval, named, rate
from repair_bench.report.table import Count, Table, Text

_COUNTS = {
    "applied": "understood,\napplied",
    "not_applied": "understood,\nnot applied",
    "not_understood": "not\nunderstood",
    "guessed": "guessed",
}


def section(run: RunData) -> Table:
    rows = []
    for (*key, bits), members in grouped(run.observed).items():
        if (found := understanding(members)) is not None:
            counts, *shares = found
            shown = {name: interval(share) for name, share in zip(("decoding", "application"), shares, strict=True)}
            rows.append({**dict(zip(KEYS, key, strict=True)), "bits": str(bits), **counts, **shown})
    return Table.of(
        "Understood and applied: repairs grouped by the model's reply to the decoding probe before the repair",
        rows,
        lambda row: {
            **named(row, KEYS),
            "bits": Text(row["bits"], "name"),
            "repairs": Count(row["decoding"]["n"]),
            **{heading: Count(row[name]) for name, heading in _COUNTS.items()},
            **{name: rate(row[name]) for name in ("decoding", "application")},
        },
        "Before a repair, the decoding probe asks the model which conventions hold. understood: the reply names the "
        "correct option of every unspecified convention, or options that lead to the same answers. applied: the "
        "repair passed. guessed: the repair passed after an incorrect reply. decoding: share of replies with correct "
        "options, in %. application: share of repairs that passed after such a reply, in %. 95% intervals clustered by "
        "problem.",
        widths={**dict.fromkeys((*_COUNTS.values(), "decoding", "application"), 12), "bits": 6, "repairs": 8},
    )
