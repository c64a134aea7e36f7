"""The minimum detectable effect of each comparison of a study at 80% power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.analysis.rates.statistics import SYMMETRIC
from repair_bench.report.sections.base import SKEWED, solved_within
from repair_bench.report.table import Cell, Count, Rate, Table, Text
from repair_bench.text import count

MEASURED = 20
"""The minimum number of problems in the pilot runs for which the predicted power was tested (by
`benchmarks/power.py`)."""


def power(planned: Mapping[str, Any], *, summarized: bool = False) -> Table:
    """Return one row per comparison. `summarized`: whether the notes omit single comparisons."""
    found = planned["power"]
    rows = found["comparisons"]
    title = "Minimum detectable effect (MDE) at 80% power, in percentage points"
    if not rows:
        return Table(title, lines=("No comparison is possible: the study has one model, and no arm has a control.",))
    with_holm = any(row["tests"] > 1 for row in rows)

    def cells(row: dict[str, Any]) -> dict[str, Cell]:
        word = "none" if row["unknown"] is None else "unknown"
        return {
            "suite": Text(row["suite"], "heading"),
            "condition or model": Text(row["within"], "heading"),
            "compared": Text(f"{row['other']} - {row['baseline']}", "text"),
            "metric": Text(solved_within(row["k"])),
            "problems": Count(row["problems"]),
            "pairs": Count(row["pairs"]),
            "MDE": Rate(row["detectable"], word=word),
            **({"MDE, Holm": Rate(row["holm"], word=word)} if with_holm else {}),
            **({} if found["more"] is None else {"MDE, +10%": Rate(row["more"], word=word)}),
        }

    return Table.of(title, rows, cells, " ".join(_notes(planned, with_holm=with_holm, summarized=summarized)))


def _notes(planned: Mapping[str, Any], *, with_holm: bool, summarized: bool) -> list[str]:
    found = planned["power"]
    n = sum(row["problems"] < SYMMETRIC for row in found["comparisons"])
    few = f"{count(n, 'comparison')} with fewer than {SYMMETRIC} problems: p assumes symmetric effects, {SKEWED}."
    return [
        "MDE: smallest true difference for which a sign-flip test by problem gives p < 0.05 with 80% power.",
        *([few] if n else []),
        *(["MDE, Holm: the MDE for a Holm-adjusted p < 0.05 if no other arm has an effect."] if with_holm else []),
        "none: the power is below 80% even for the largest possible difference.",
        *([] if summarized else _not_found(found["comparisons"])),
        _more(planned),
        *_assumptions(found["supposes"]),
        *(f"Unknown: {why}." for why in dict.fromkeys(row["unknown"] for row in found["comparisons"]) if why),
        "The secret seed of a suite will be drawn when the run starts; study.lock will contain the seed."
        if planned["study_lock"] is None
        else f"Hash of study.lock: {planned['study_lock']}.",
    ]


def _not_found(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe the comparisons in which no effect can be detected, grouped by reason."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["most"] is not None:
            largest, power = (100 * row["most"][name] for name in ("difference", "power"))
            why = f"the largest possible difference, {largest:.1f} pp, is detected with {power:.0f}% power"
            found.setdefault(why, []).append(f"{row['other']} - {row['baseline']} ({solved_within(row['k'])})")
    return [f"No difference is detectable for {', '.join(dict.fromkeys(of))}: {why}." for why, of in found.items()]


def _more(planned: Mapping[str, Any]) -> str:
    samples = planned["power"]["more"]
    if samples is None:
        return (
            "10% more budget does not lower the MDE: additional samples would be copies at temperature 0, and would "
            "not count under adaptive stopping."
        )
    costs = [model["cost_usd"]["most"] for model in planned["models"]]
    cost = "" if None in costs or not sum(costs) else f" (at most {sum(costs) / 10:,.4f} USD)"
    return f"MDE, +10%: MDE with 10% more budget{cost}, which allows {samples:.3g} samples per task on average."


def _assumptions(assumed: Mapping[str, Any]) -> list[str]:
    if "pilot" in assumed:
        missing = " and ".join(assumed["without"])
        return [
            f"The variance of differences is estimated from {assumed['pilot']}. 80% is the mean power over pilots with",
            f"{assumed['problems']} problems. Estimates from few problems are rough.",
            *([f"Power is untested for fewer than {MEASURED} problems."] if assumed["problems"] < MEASURED else []),
            *([f"The pilot does not contain {missing}. The same variance is assumed there."] if missing else []),
        ]
    rates = assumed["rates"]
    unmeasured = [name for name in rates if name not in assumed["stated"]]
    sentences = [
        f"Assumptions: {100 * rates['first']:g}% of first answers pass;",
        f"the baseline repairs {100 * rates['repaired']:g}% of the failed first answers;",
        f"samples of a problem have an intraclass correlation (icc) of {rates['icc']:g};",
        f"the repair rates of the two sides have a correlation of {rates['correlation']:g} across problems.",
    ]
    if unmeasured:
        names = ", ".join(unmeasured)
        sentences.append(
            f"Assumed, not measured: {names}. Set them with --rates, or estimate them with --pilot RUN_DIR."
        )
    return sentences
