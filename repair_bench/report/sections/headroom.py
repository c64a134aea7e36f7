"""The failures that repairs could solve, for `suites headroom`."""

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
        "First answers, and what they leave to repair",
        rows,
        lambda row: {
            **named(row, ("model", "suite")),
            "n": Count(row["right"]["n"]),
            "right": rate(row["right"]),
            **{name: Count(row["failed"][name]) for name in CAUSES},
            "left": Count(row["left"]),
            "smallest": Number(None if row["smallest"] is None else 100 * row["smallest"], ".1f", word="none"),
        },
        "Right: in % of the n first answers that were judged. Then why the others failed; tasks that the errata name "
        "underspecified or wrong come first. Left: failures that repairs could solve, all but where the reference is "
        "wrong. Smallest: the smallest difference in FB@k between two arms that share these answers, in points, that "
        "a test at 5% would find in four of five such runs, if arms vary as much as they can; none where more than is "
        "left would have to be solved.",
    )
