"""The table of `suites headroom`: failures that repairs could fix."""

from __future__ import annotations

from repair_bench.analysis.feedback_use.headroom import CAUSES, headroom
from repair_bench.report.sections.base import RunData, fields, interval, named, rate
from repair_bench.report.table import Count, Number, Table


def section(run: RunData) -> Table:
    rows = [
        {**fields(row, "model", "suite"), "right": interval(row.right), **fields(row, "failed", "left", "smallest")}
        for row in headroom(run.episodes, run.manifest)
    ]
    return Table.of(
        "First answers, and failures that repairs could solve",
        rows,
        lambda row: {
            **named(row, ("model", "suite")),
            "n": Count(row["right"]["n"]),
            "correct": rate(row["right"]),
            **{name: Count(row["failed"][name]) for name in CAUSES},
            "repairable": Count(row["left"]),
            "MDE, pp": Number(None if row["smallest"] is None else 100 * row["smallest"], ".1f", word="none"),
        },
        "correct: share of the n graded first answers, in %. The next columns count failures by cause; an erratum of "
        "the task takes precedence over other causes. repairable: all failures except those on tasks with a wrong "
        "reference. MDE: minimum detectable effect in FB@k between two arms that share these answers, at a level of 5% "
        "and a power of 80%, assuming the largest possible variance. none: the MDE exceeds the share of repairable "
        "failures.",
    )
