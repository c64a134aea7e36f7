"""The effect of starter code and prefill on Pass@1, with intervals (as in Table 1 of QuanBench+)."""

from __future__ import annotations

from repair_bench.analysis.comparing.arms import STARTS, start_pairs
from repair_bench.analysis.comparing.bounds import stated
from repair_bench.analysis.comparing.effects import prefill_differences
from repair_bench.report.sections.base import RunData, bounded, difference, interval, named, undecided, unplanned
from repair_bench.report.table import Table, Text


def section(run: RunData) -> Table:
    """Compare conditions that differ only in starter code or only in prefill. Return a table with one row per model and
    pair of conditions.
    """
    rows = []
    for without, with_, kind in start_pairs(run.episodes, run.manifest):
        base, other = ([e for e in run.episodes if e.first.condition == name] for name in (without, with_))
        rows += [
            {
                "setting": kind,
                "model": row.model,
                "without": without,
                "with": with_,
                "frameworks": {name: interval(i, "difference") for name, i in row.by_framework.items()},
                "average": interval(row.average, "difference"),
                "bounds": stated(row.bound, row.average.estimate, None),
            }
            for row in prefill_differences(base, other)
        ]
    return Table.of(
        "Effect of starter code or prefill: difference in Pass@1, in percentage points",
        rows,
        lambda row: {
            "setting": Text(STARTS[row["setting"]], "name"),
            **named(row, ("model",)),
            **{name: difference(figures) for name, figures in row["frameworks"].items()},
            "average": difference(row["average"]),
            **bounded(row),
        },
        "Pass@1 with the setting minus Pass@1 without the setting, paired by task; 95% intervals. average: mean over "
        "frameworks (QuanBench+, Table 1)." + undecided(rows) + unplanned(run),
    )
