"""The solved tasks and the costs of a run with adaptive stopping."""

from __future__ import annotations

from repair_bench.analysis.planning.adaptive_stopping import stopping
from repair_bench.report.sections.base import KEYS, RunData, interval, named, rate, solved_within
from repair_bench.report.table import Count, Share, Sum, Table


def section(run: RunData) -> Table:
    rows = [
        {
            **found,
            **{name: vars(found[name]) for name in ("tokens", "usd")},
            **{name: interval(found[name]) for name in ("controls", "flattered")},
        }
        for found in stopping(run.episodes, run.stoppable, run.repairs)
    ]
    within = solved_within(run.repairs)
    return Table.of(
        "Adaptive stopping",
        rows,
        lambda row: {
            **named(row, KEYS),
            "tasks solved": Share(row["solved"], row["tasks"]),
            "episodes": Count(row["episodes"]),
            "stopped": Count(row["stopped"]),
            "tokens": Sum(row["tokens"]["known"], row["tokens"]["unknown"]),
            "cost, USD": Sum(row["usd"]["known"], row["usd"]["unknown"], ",.4f"),
            f"{within}, controls, %": rate(row["controls"]),
            f"{within}, naive, %": rate(row["flattered"]),
        },
        "tasks solved: tasks that at least one episode solved, counted once per framework. stopped: episodes that "
        "ended before their last repair, because a new sample had a higher expected value per cost. controls: solve "
        "rate of a random sample of episodes that are never stopped; all other tables cover only these episodes. "
        "naive: solve rate of all first samples, computed as if stopping were unrelated to success. The naive rate is "
        "too high.",
    )
