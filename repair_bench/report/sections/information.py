"""Feedback utilisation on tasks that leave a convention unspecified.

The utilisation is 0 if a model ignores the content of feedback, and 1 for the ideal observer, which uses all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.analysis.feedback_use.use import Observed, grouped, information, left_out
from repair_bench.report.sections.base import KEYS, RunData, interval, named, points, rate, utilisation
from repair_bench.report.table import Cell, Count, Number, Rate, Table, Text

OPEN = "above 0"
"""The name of the row that covers all levels above 0."""


def section(run: RunData) -> Table:
    """Return one row per model, suite, condition and level, and one row that pools all levels above 0.

    If no episode can be counted, the table only states the reason.
    """
    title = "Feedback utilisation on tasks that leave a convention unspecified"
    missing = left_out(run.observed, run.repairs)
    rows = []
    by_bits: dict[tuple[Any, ...], dict[int, list[Observed]]] = {}
    for (*key, bits), members in grouped(run.observed).items():
        by_bits.setdefault(tuple(key), {})[bits] = members
    for names, levels in by_bits.items():
        parts = {str(bits): members for bits, members in levels.items()}
        if sum(bits > 0 for bits in levels) > 1:
            parts[OPEN] = [one for bits, members in levels.items() if bits for one in members]
        rows += [
            {**dict(zip(KEYS, names, strict=True)), "bits": bits, **_figures(members, run.repairs)}
            for bits, members in parts.items()
            if any(one.episode.state(run.repairs) == "counted" for one in members)
        ]
    if not rows:
        return Table(title, lines=tuple(missing))
    last = f"FB@{run.repairs}"
    return Table.of(
        title,
        rows,
        lambda row: _cells(row, last),
        "".join(f"{sentence} " for sentence in missing)
        + f"Rates in %. bits: approximate number of open binary decisions; 0 for control tasks. adjusted: {last} "
        f"averaged over all possible true hypotheses. optimal: {last} of the ideal observer. "
        f"blind: {last} of exhaustive search without feedback. use: feedback utilisation, the area between the "
        "adjusted and the blind curve divided by the area between the optimal and the blind curve; answers that treat "
        "calls differently (mixing) can make it exceed 1, except for pipelines with counted calls, where the optimal "
        "policy includes them. consistent: the utilisation of a policy that tries an arbitrary hypothesis that is not "
        "excluded. excluded: repairs that implement an excluded hypothesis. repeated: repairs that implement a "
        "hypothesis tried before. other: attempts that implement no hypothesis. The policies optimal, blind and "
        "consistent are given the list of all hypotheses, even if the prompt omits it (suites with say=silent). "
        "95% intervals clustered by problem; all tasks of one family count as one problem. If there is only about one "
        "episode per problem, the `use` column has no interval. Otherwise, the coverage of its interval is 85% to 90% "
        "if a model ignores feedback in only a few families of tasks.",
        widths=dict.fromkeys(("bits", "excluded", "repeated", "other", "mixing", "optimal", "blind", "n"), 9)
        | dict.fromkeys(("Pass@1", last, "adjusted", "use", "consistent"), 12),
    )


def _figures(members: Sequence[Observed], repairs: int) -> dict[str, Any]:
    found = information(members, repairs)
    return {
        "episodes": found.episodes,
        "fb": points(found.fb),
        "best": list(found.best),
        "best_exact": found.exact,
        "blind": list(found.enumeration),
        "consistent": None if found.consistent is None else list(found.consistent),
        "adjusted": list(found.adjusted),
        "use": interval(found.use, "use"),
        "consistent_use": found.consistent_use,
        "ignored": interval(found.ignored),
        "repeated": interval(found.repeated),
        "off_the_list": interval(found.off_the_list),
        "mixing": found.mixing,
        "unexplained": found.unexplained,
    }


def _cells(row: dict[str, Any], last: str) -> dict[str, Cell]:
    first = {
        **named(row, KEYS),
        "bits": Text(row["bits"], "name"),
        "n": Count(row["episodes"]),
        "Pass@1": rate(row["fb"][0]),
        last: rate(row["fb"][-1]),
    }
    if row["bits"] == "0":
        return first
    return {
        **first,
        "adjusted": Rate(row["adjusted"][-1]),
        "optimal": Rate(row["best"][-1], word="-") if row["best_exact"] else Text(f">{100 * row['best'][-1]:.1f}"),
        "blind": Rate(row["blind"][-1]),
        "use": utilisation(row["use"], "use"),
        "consistent": Number(row["consistent_use"], ".2f"),
        "excluded": Rate(row["ignored"]["rate"]),
        "repeated": Rate(row["repeated"]["rate"]),
        "other": Rate(row["off_the_list"]["rate"]),
        "mixing": Count(row["mixing"]),
    }
