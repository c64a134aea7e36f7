"""Use of feedback on tasks that hide a convention, from 0 (best player without feedback) to 1 (ideal observer)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repair_bench.analysis.feedback_use.use import Observed, grouped, information, left_out
from repair_bench.report.sections.base import KEYS, RunData, interval, named, points, rate
from repair_bench.report.table import Cell, Count, Number, Rate, Table, Text

OPEN = "above 0"
"""The name of the row over all levels except the control."""


def section(run: RunData) -> Table:
    """Return one row per model, suite, condition and level, and one over all levels above 0.

    If every episode was censored, the table has only the reason.
    """
    title = "Use of feedback: what was found of the conventions that prompts leave open"
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
        + "bits: about how many binary decisions the prompt leaves open; 0 is the control. luck-free: "
        f"{last}, averaged over the true hypothesis. best: {last} of the ideal observer; blind: of the best "
        "player that ignores the content of feedback and tries each hypothesis once. use: the area between the "
        "luck-free curve and blind's over that between best's and blind's, 0 for blind and 1 for best; answers that "
        "treat calls differently (mixing) may exceed 1. consistent: the use of a player that tries any hypothesis not "
        "yet excluded. ignored: repairs that realise an excluded hypothesis; tried: one that was tried before; off: "
        "attempts that realise none. Under say=silent the model does not know the hypotheses, which best, blind and "
        "consistent do. 95% intervals over problems; a family is one at all levels and in all frameworks. With hardly "
        "more than one episode per problem, use has none. If a model ignores feedback in few families only, the "
        "interval of use covers in 85 to 90% of studies.",
        widths=dict.fromkeys(("bits", "ignored", "tried", "off", "mixing", "best", "blind", "n"), 8)
        | dict.fromkeys(("Pass@1", last, "luck-free", "use", "consistent"), 12),
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
        "luck_free": list(found.luck_free),
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
        "luck-free": Rate(row["luck_free"][-1]),
        "best": Rate(row["best"][-1], word="-") if row["best_exact"] else Text(f">{100 * row['best'][-1]:.1f}"),
        "blind": Rate(row["blind"][-1]),
        "use": Number(row["use"]["use"], ".2f", low=row["use"]["low"], high=row["use"]["high"]),
        "consistent": Number(row["consistent_use"], ".2f"),
        "ignored": Rate(row["ignored"]["rate"]),
        "tried": Rate(row["repeated"]["rate"]),
        "off": Rate(row["off_the_list"]["rate"]),
        "mixing": Count(row["mixing"]),
    }
