"""The solve rate of each model's best condition, shown with the mean over all conditions."""

from __future__ import annotations

from repair_bench.analysis.comparing.arms import firsts
from repair_bench.analysis.rates.metrics import group
from repair_bench.analysis.rates.selection import MIN_PROBLEMS, PER_CONDITION, best_configurations
from repair_bench.report.sections.base import RunData, fields, interval, named, rate, solved_within
from repair_bench.report.table import Count, Rate, Table, Text


def section(run: RunData) -> Table:
    rows = []
    for k in dict.fromkeys((0, run.repairs)):
        for (suite,), members in group(run.episodes if k else firsts(run.episodes), "suite").items():
            rows += [
                {
                    "suite": suite,
                    "model": best.model,
                    "k": k,
                    **fields(best, "conditions", "highest"),
                    "best": interval(best.corrected),
                    **fields(best, "mean", "rates"),
                }
                for best in best_configurations(members, k)
                if len(best.rates) > 1 and len(set(best.rates.values())) > 1
            ]
    return Table.of(
        "Best condition of each model, and the mean over its conditions, in %",
        sorted(rows, key=lambda row: row["model"]),
        lambda row: {
            **named(row, ("model", "suite")),
            "metric": Text(solved_within(row["k"]), "name"),
            "best": rate(row["best"]),
            "uncorrected": Rate(row["highest"]),
            "mean": Rate(row["mean"]),
            "conditions": Count(len(row["rates"])),
            "best condition": Text(", ".join(row["conditions"])),
        },
        "best: the rate of the best condition. To avoid selection bias, the condition is chosen on one half "
        "of the problems, and its rate is measured on the other half. The 95% interval accounts for the choice; it is "
        "conservative, with a coverage of up to 99%. uncorrected: the highest observed rate, which is too high. "
        f"The corrected rate is unknown with fewer than {MIN_PROBLEMS} problems, or with fewer than {PER_CONDITION} "
        "problems per condition.",
    )
