"""The minimum detectable effect of each comparison of a study at 80% power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.analysis.rates.statistics import SYMMETRIC
from repair_bench.report.sections.base import SKEWED, solved_within
from repair_bench.report.table import Cell, Count, Rate, Table, Text
from repair_bench.text import count

MEASURED = 20
"""The minimum number of problems of a pilot in `benchmarks/power.py`."""


def power(planned: Mapping[str, Any]) -> Table:
    """Return one row per comparison of `agent.experiment.plan`."""
    found = planned["power"]
    rows = found["comparisons"]
    title = "The smallest difference that is found in 80 of 100 such studies, in points"
    if not rows:
        return Table(title, lines=("Nothing is compared: one model, and no arm beside its control.",))
    several = any(row["tests"] > 1 for row in rows)

    def cells(row: dict[str, Any]) -> dict[str, Cell]:
        unknown = {name: row["unknown"] is not None and row[name] is None for name in ("detectable", "holm", "more")}
        shown = {name: Rate(row[name], word="unknown" if unknown[name] else "none") for name in unknown}
        return {
            "suite": Text(row["suite"], "heading"),
            "in": Text(row["within"], "heading"),
            "compared": Text(f"{row['other']} - {row['baseline']}", "text"),
            "of": Text(solved_within(row["k"])),
            "problems": Count(row["problems"]),
            "pairs": Count(row["pairs"]),
            "p": shown["detectable"],
            **({"p*": shown["holm"]} if several else {}),
            **({} if found["more"] is None else {"+10%": shown["more"]}),
        }

    return Table.of(title, rows, cells, " ".join(_notes(planned, several=several)))


def _notes(planned: Mapping[str, Any], *, several: bool) -> list[str]:
    found = planned["power"]
    n = sum(row["problems"] < SYMMETRIC for row in found["comparisons"])
    few = (
        f"{count(n, 'comparison')} of fewer than {SYMMETRIC} problems: p assumes that effects are symmetric, {SKEWED}."
    )
    return [
        "p: found by p below 0.05, a sign-flip test over problems.",
        *([few] if n else []),
        *(["p*: by Holm's p below 0.05, if no other arm differs."] if several else []),
        "none: no difference that there can be is found so often.",
        *_not_found(found["comparisons"]),
        _more(planned),
        *_supposed(found["supposes"]),
        *(f"Unknown: {why}." for why in dict.fromkeys(row["unknown"] for row in found["comparisons"]) if why),
        "The run draws the hidden options of conventions; study.lock will state their seed."
        if planned["study_lock"] is None
        else f"study.lock will have the hash {planned['study_lock'][:16]}.",
    ]


def _not_found(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the comparisons without a detectable effect, grouped by reason."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["most"] is not None:
            most, power = (100 * row["most"][name] for name in ("difference", "power"))
            why = f"even {most:.1f} points, the most that there can be, are found in {power:.0f} of 100"
            found.setdefault(why, []).append(f"{row['other']} - {row['baseline']} ({solved_within(row['k'])})")
    return [f"Not to be found at this size: {', '.join(dict.fromkeys(of))}: {why}." for why, of in found.items()]


def _more(planned: Mapping[str, Any]) -> str:
    """Return the note on a tenth more budget."""
    samples = planned["power"]["more"]
    if samples is None:
        return (
            "A tenth more budget finds no smaller one: more samples are copies at temperature 0, and enter no figure "
            "of a run that stops by value."
        )
    costs = [model["cost_usd"]["most"] for model in planned["models"]]
    cost = "" if None in costs or not sum(costs) else f" (at most {sum(costs) / 10:,.4f} USD)"
    return f"+10%: with a tenth more budget{cost}, {samples:.3g} samples of each task on average."


def _supposed(supposes: Mapping[str, Any]) -> list[str]:
    if "pilot" in supposes:
        without = " and ".join(supposes["without"])
        return [
            f"How differences vary is taken from {supposes['pilot']}: 80 of 100 is what is found on average over such",
            f"pilots, of {supposes['problems']} problems each. With few the figures are rough.",
            *(["Of so few nobody has measured whether that holds."] if supposes["problems"] < MEASURED else []),
            *([f"It has nothing in {without}: that is taken to vary as the others do."] if without else []),
        ]
    rates = supposes["rates"]
    assumed = [name for name in rates if name not in supposes["stated"]]
    said = [
        f"Supposed: {100 * rates['first']:g}% of first answers pass, of the others the baseline repairs",
        f"{100 * rates['repaired']:g}%, and samples of a problem are alike by {rates['alike']:g} (0 to 1).",
        f"Over problems the repairs of both sides have a correlation of {rates['correlation']:g}.",
    ]
    if assumed:
        said.append(f"Nobody has measured {', '.join(assumed)}: give --rates, or a pilot run by --pilot RUN_DIR.")
    return said
