"""The horizon after each number of repairs: the instance size at which half of the hidden instances are solved."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.comparing.arms import firsts
from repair_bench.analysis.comparing.effects import CONTROLS
from repair_bench.analysis.comparing.horizon_ratios import ratios_of_arms
from repair_bench.analysis.rates.horizon import by_family, horizon_curve, horizon_of, programs
from repair_bench.report.sections.base import KEYS, RunData, fields, named
from repair_bench.report.table import Both, Cell, Count, Table, Text, Unknown

SLACKS = (1.0, 1.1, 1.25, 1.5, 2.0)
OPEN = (
    "Values above twice the largest size, or below half the smallest size, are shown as bounds (< or >) or as open "
    "intervals."
)
CENSORED = (
    " Episodes censored within k repairs are excluded; n is shown for the smallest and the largest k. Episodes that "
    "needed fewer than k repairs are weighted down accordingly, assuming non-informative censoring. If censoring is "
    "more frequent in episodes that would have failed, the horizon after repairs is too high."
)


def section(run: RunData) -> Table:
    """Return one row per model, suite, condition and family."""
    rows = [
        {
            **dict(zip(KEYS, values, strict=True)),
            "family": family.name,
            "sizes": family.sizes,
            "by": [
                {"k": k, "n": len(found), **horizon_of(found).to_json()}
                for k in range(run.repairs + 1)
                for found in [programs(family.episodes, family.instances, k)]
            ],
        }
        for values, family in by_family(run.episodes, *KEYS)
    ]
    return Table.of(
        "Horizon after k repairs: the instance size at which half of the hidden instances are solved",
        rows,
        lambda row: {
            **named(row, (*KEYS, "family")),
            "sizes": Text(f"{row['sizes'][0]}-{row['sizes'][-1]}"),
            "n": Count(n[0]) if len(n := _numbers(row)) == 1 else Both(n[0], n[-1], " to "),
            **{f"k={point['k']}": horizon_cell(point, row["sizes"]) for point in row["by"]},
        },
        "The last answer within k repairs counts. n: episodes, pooled over frameworks and samples. The rate is "
        "fitted by a logistic function of log2 size, with a lapse rate and with random effects for answers and tasks. "
        "95% profile-likelihood intervals. "
        f"{OPEN}{CENSORED if any(len(_numbers(row)) > 1 for row in rows) else ''}",
    )


def slacks(run: RunData) -> Table:
    """Return a table with one row per model, suite, condition and family.

    All arms that share their first answers are represented by a single row.
    """
    rows = [
        {
            **dict(zip(KEYS, values, strict=True)),
            "family": family.name,
            "sizes": family.sizes,
            "by": [{"slack": slack, **horizon_curve(family, 0, slack)[0].to_json()} for slack in SLACKS],
        }
        for values, family in by_family(firsts(run.episodes), *KEYS)
    ]
    return Table.of(
        "Horizon of first answers by slack (the budget divided by the cost of the hidden solution)",
        rows,
        lambda row: {
            **named(row, (*KEYS, "family")),
            **{f"{point['slack']:g}": horizon_cell(point, row["sizes"]) for point in row["by"]},
        },
        "The prompt states the budget for only one value of the slack. For every other value, the costs of the same "
        f"answers are compared with the budget at this value. {OPEN}",
    )


def ratios(run: RunData) -> Table:
    """Return one row per family, arm and control."""
    compared = ratios_of_arms(run.episodes, run.manifest, run.repairs)
    rows = [
        {
            **fields(one.group, "model", "suite", "prompt"),
            **fields(one, "arm", "control"),
            "says": CONTROLS[one.policy],
            "family": one.found.family,
            "n": one.found.n,
            **one.found.ratio.to_json(),
        }
        for one in compared
    ]
    return Table.of(
        f"Effect of feedback on the horizon: horizon(arm) / horizon(control) at k={run.repairs}",
        rows,
        lambda row: {
            **named(row, ("model", "suite", "arm")),
            "control": Text(row["control"], "name"),
            "family": Text(row["family"], "name"),
            "ratio": ratio_cell(row),
            "n": Count(row["n"]),
        },
        "Paired by task. The fit assumes the same slope, lapse rate and spread for both arms. 95% profile-likelihood "
        "intervals are based on Student's t distribution (n - 1 degrees of freedom). n: episodes per arm (if some are "
        "censored: of the arm with fewer). Not adjusted for multiple comparisons. Exploratory.",
    )


def _numbers(row: dict[str, Any]) -> list[int]:
    """Return the distinct numbers of programs on which the horizons of a row are based, by increasing k."""
    return list(dict.fromkeys(point["n"] for point in row["by"]))


def horizon_cell(figures: dict[str, Any], sizes: list[int]) -> Cell:
    """Return a table cell that shows a horizon and its interval.

    If there is no estimate, the cell states that the horizon is above or below all sizes.
    """
    if figures["estimate"] is None and figures["low"] is figures["high"] is None:
        return Unknown()
    figure = f">{2 * sizes[-1]}" if figures["high"] is None else f"<{sizes[0] / 2:g}"
    return Cell(_written(figures["estimate"], 1) or figure, _interval(figures, 1), figures["estimate"])


def ratio_cell(figures: dict[str, Any]) -> Cell:
    return Cell(_written(figures["estimate"], 2) or "-", _interval(figures, 2), figures["estimate"])


def _interval(figures: dict[str, Any], digits: int) -> str:
    return "..".join(_written(figures[end], digits) for end in ("low", "high"))


def _written(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
