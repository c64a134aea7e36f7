"""Compare arms by source of information: a critic, a tool, documentation, questions or program runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from repair_bench.analysis.comparing.bounds import stated
from repair_bench.analysis.comparing.evidence import BASELINES, Evidence, evidence
from repair_bench.analysis.runs.notices import mixed
from repair_bench.report.sections.base import (
    RunData,
    bounded,
    curve_cells,
    difference,
    fields,
    interval,
    low_power_note,
    named,
    separately,
    solved_within,
    undecided,
    utilisation,
)
from repair_bench.report.table import Cell, Count, Number, PValue, Table, Text, Unknown

_WIDTHS = {"n": 5, "from": 13, "p*": 8, "bounds": 14, "bits": 13}
"""Column widths, by the first word of the column's name."""
_KINDS = {
    "self-critic": "the repairing model is its own critic",
    "try": "the model runs programs before it answers",
    "ask": "the model asks for correct outputs",
}
_BITS = (
    " bits received: how much the feedback before a repair reveals about the open options. bits used: how much of this "
    "information the repair reflects; 0 on average if the model guesses uniformly among all options. Bits received and "
    "bits used are means over repairs. bits per 1k: bits used per 1,000 tokens of repairs and critics."
)


def section(run: RunData) -> Table:
    rows, last = rows_of(run), solved_within(run.repairs)
    control = " Control tasks (level 0) are excluded." if mixed(run.episodes) else ""
    planned = ' The table "Effect of feedback" marks planned comparisons.' if run.manifest.planned is not None else ""
    baselines, differences = baselines_of(rows), differences_of(rows)
    words = {word for row in rows for word in row["evidence"].split(" + ")}
    kinds = "".join(f" {word}: {text}." for word, text in _KINDS.items() if word in words)
    longest = max((len(run.names.of("arm", row["arm"])) for row in rows), default=0)
    cells = partial(_cells, run, baselines=baselines, bounds=any(one["bounds"] for one in differences))
    widths = {**_WIDTHS, "arm": max(14, longest + 1)}
    return Table.of(
        f"Evidence: arms compared by the information that models receive; differences in {last}, in percentage points",
        rows,
        cells,
        f"Pooled over frameworks and samples; 95% intervals clustered by problem.{control} Differences are paired by "
        "task and sample. p*: sign-flip test by problem, adjusted for all tests in the table"
        f"{separately(run)}.{kinds} tokens, USD: the cost of all episodes, including critics, divided by the number of "
        f"solved episodes.{_BITS if any(row['bits_received'] is not None for row in rows) else ''}{planned}"
        f"{low_power_note(differences, 'comparison')}{undecided(differences, 'comparison')}",
        widths={name: widths.get(name.split()[0], 11) for row in rows for name in cells(row)},
    )


def rows_of(run: RunData) -> list[dict[str, Any]]:
    return [_row(one) for one in evidence(run.episodes, run.manifest, run.repairs, run.observed)]


def _row(one: Evidence) -> dict[str, Any]:
    differences = {
        policy: {
            "baseline": base,
            **interval(effect.by[-1], "difference"),
            "differing": effect.differing,
            "p": effect.p_value,
            "p_holm": adjusted,
            "bounds": stated(effect.bound, effect.by[-1].estimate, effect.p_value),
        }
        for policy, (base, effect, adjusted) in one.effects.items()
    }
    received, used, per_thousand = one.bits or (None, None, None)
    return {
        **fields(one, "model", "suite", "arm"),
        "evidence": one.kind,
        "fb": [{"k": k, **interval(point)} for k, point in one.within.items()],
        "differences": differences,
        "tokens_per_solved": one.tokens,
        "usd_per_solved": one.usd,
        "bits_received": received and interval(received, "bits"),
        "bits_used": used and interval(used, "bits"),
        "bits_per_thousand_tokens": per_thousand,
    }


def baselines_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the policies of `BASELINES` with which an arm is compared in at least one row."""
    return [policy for policy in BASELINES if any(policy in row["differences"] for row in rows)]


def differences_of(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return all differences in the table."""
    return [found for row in rows for found in row["differences"].values()]


def _cells(run: RunData, row: Mapping[str, Any], baselines: Sequence[str], *, bounds: bool) -> dict[str, Cell]:
    kind = "" if run.names.of("arm", row["arm"]) == row["evidence"] else row["evidence"]
    cells = {**named(row, ("model", "suite")), "arm": Text(row["arm"], "name", kind), **curve_cells(row["fb"])}
    for policy in baselines:
        found = row["differences"].get(policy)
        cells[f"from\n{policy}"] = Unknown() if found is None else difference(found)
        cells[f"p*\n{policy}"] = Unknown() if found is None else PValue(found["p_holm"])
        if bounds:
            cells[f"bounds\n{policy}"] = (bounded(found) if found else {}).get("bounds", Unknown())
    return {**cells, "n": Count(row["fb"][-1]["n"]), **prices(row)}


def prices(row: Mapping[str, Any]) -> dict[str, Cell]:
    """Return the cells for the cost per solved episode, and for the bits of information received and used."""
    cells: dict[str, Cell] = {}
    cells["tokens\nper solved"] = Number(row["tokens_per_solved"], ",.0f", word="unknown")
    cells["USD\nper solved"] = Number(row["usd_per_solved"], ",.4f", word="unknown")
    if row["bits_received"] is not None:
        for name in ("received", "used"):
            cells[f"bits\n{name}"] = utilisation(row[f"bits_{name}"], "bits")
        cells["bits\nper 1k"] = Number(row["bits_per_thousand_tokens"], ".2f")
    return cells
