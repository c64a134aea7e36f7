"""A comparison of two runs or arms, A and B, paired by task: the differences B minus A, and the grader's noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from repair_bench.report.sections.base import (
    OptionalTables,
    bounded,
    difference,
    low_power_note,
    mark,
    note,
    rate,
    undecided,
    utilisation,
)
from repair_bench.report.sections.horizon import OPEN, horizon_cell, ratio_cell
from repair_bench.report.table import Both, Cell, Count, PValue, Rate, Table, Text
from repair_bench.text import count

_NOTE = (
    "difference: B minus A, in percentage points, paired by task and sample. 95% intervals clustered by problem. won: "
    "pairs that only B solves. lost: pairs that only A solves. p: sign-flip test by problem, omitted if A and B "
    "consist of the same answers. p*: adjusted for"
)


def shown(result: Mapping[str, Any]) -> OptionalTables:
    """Return tables for a result of `analysis.comparison.compare`.

    The tables show the settings of both sides, the rates and their differences, and the tasks that only one side
    solved. The tables also describe the grader noise, which may cause part of the differences between the rates.
    """
    tests = count(sum(row["p_holm"] is not None for row in result["rows"]), "test")
    rows, title = result["rows"], f"Solve rates of A and B within k repairs (FB@k), in %, up to k = {result['k']}"
    tables = {
        "compared": Table("Compared: B minus A", lines=tuple(_head(result))),
        "comparison": Table.of(
            title,
            rows,
            lambda row: {
                "metric": Text(f"FB@{row['k']}", more=mark(row)),
                "framework": Text(row["framework"], "name"),
                "pairs": Count(row["pairs"]),
                "A": rate(row["a"], "estimate"),
                "B": rate(row["b"], "estimate"),
                "difference, pp": difference(row["difference"], "estimate"),
                "won, lost": Both(row["won"], row["lost"]),
                "p": PValue(row["p"]),
                "p*": PValue(row["p_holm"]),
            },
            f"{_NOTE} {tests} (Holm)." + note(rows) + low_power_note(rows),
        ),
    }
    if found := [row for row in rows if row["bounds"] is not None]:
        title = "Bounds on the difference, given censored episodes, in percentage points"
        tables["comparison-bounds"] = Table.of(
            title, found, _bound, f"{undecided(found).strip()} p lower, p upper: p at each bound."
        )
    if result["use"] is not None:
        tables["comparison-use"] = _use(result["use"])
    if result["horizons"]:
        tables["comparison-horizon"] = _horizon(result["horizons"], result["k"])
    tables |= {
        "comparison-won": _alone("Only B solves", result["won"]),
        "comparison-lost": _alone("Only A solves", result["lost"]),
        "comparison-noise": Table("Grader noise", lines=tuple(_noise(result["noise"]))),
    }
    return OptionalTables(result["notices"], tables)


def _head(result: Mapping[str, Any]) -> Iterator[str]:
    by = f", by {result['by']}" if result["by"] else ""
    yield from (f"A: {result['a']}", f"B: {result['b']}")
    yield f"{count(result['pairs'], 'pair')}{by}; {result['alone']:,} unpaired"
    yield from (f"differs: {setting}" for setting in result["differs"])


def _bound(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        "metric": Text(f"FB@{row['k']}"),
        "framework": Text(row["framework"], "name"),
        "pairs": Count(row["recorded"]),
        "censored": Count(row["bounds"]["censored"]),
        "difference": difference(row["difference"], "estimate"),
        **bounded(row),
        "p lower": PValue(row["bounds"]["p_lower"]),
        "p upper": PValue(row["bounds"]["p_upper"]),
    }


def _use(use: Mapping[str, Any]) -> Table:
    rows = [{"side": name, **use[side]} for side, name in (("a", "A"), ("b", "B"), ("difference", "B minus A"))]
    note = (
        "1: the ideal observer; 0: exhaustive search without feedback. Curves are averaged over all possible true "
        "hypotheses. B minus A: the paired difference; p is from a sign-flip test. Only pairs in which neither episode "
        "is censored are included. 95% intervals clustered by problem."
    )
    return Table.of(
        "Feedback utilisation",
        rows,
        lambda row: {
            "side": Text(row["side"]),
            "episodes": Count(row["episodes"]),
            "use": utilisation(row),
            "p": PValue(row["p"]) if "p" in row else Text(""),
        },
        note + low_power_note(rows[2:]),
    )


def _horizon(rows: Sequence[dict[str, Any]], k: int) -> Table:
    return Table.of(
        f"Horizon after k={k} repairs",
        rows,
        lambda row: {
            "family": Text(row["family"], "name"),
            "n": Count(row["n"]),
            "A": horizon_cell(row["a"], row["sizes"]),
            "B": horizon_cell(row["b"], row["sizes"]),
            "B / A": ratio_cell(row["ratio"]),
        },
        "Horizon: the instance size at which half of the hidden instances are solved. B / A: ratio of the horizons, "
        "paired by task; the fits of A and B share one slope. n: episodes per side (if some are censored: of the side "
        f"with fewer). 95% profile-likelihood intervals. {OPEN}",
    )


def _alone(title: str, tasks: Sequence[dict[str, Any]]) -> Table:
    return Table(f"{title}: {count(sum(t['episodes'] for t in tasks), 'pair')}", lines=tuple(_names(tasks)))


def _names(tasks: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield one line per framework, listing its tasks and, for tasks with several samples, the number of samples."""
    frameworks: dict[str, list[str]] = {}
    for task in tasks:
        name = task["task_id"] + (f" (x{task['episodes']})" if task["episodes"] > 1 else "")
        frameworks.setdefault(task["framework"], []).append(name)
    for framework, names in sorted(frameworks.items()):
        yield f"{framework}: {', '.join(names)}"


def _noise(noise: dict[str, Any]) -> Iterator[str]:
    same, alone = noise["same_code"], sum(task["episodes"] for task in noise["disagree"])
    yield f"{count(same, 'pair')} with identical first answers; {alone:,} of them passed only in A or only in B"
    yield from _names(noise["disagree"])
    if not noise["sampled_rules"]:
        yield "Both sides were graded by exact rules: the same code always gets the same verdict."
        return
    yield f"Graded with random shots (rule {', '.join(noise['sampled_rules'])}): part of the difference is noise."
    if noise["phantom"] is None:
        yield (
            "To estimate the noise, pass --certificate FILE. `repair-bench suites audit SUITE --rule RULE --out DIR` "
            "writes this file."
        )
        return
    yield f"Estimated spurious repairs due to grader noise: {Rate(noise['phantom'])} percentage points."
    shown = [f"{t['task_id']} {t['framework']} ({Rate(t['accepted'])}%)" for t in noise["noisy_tasks"]]
    if shown:
        yield f"Tasks in which correct answers are not always accepted: {', '.join(shown)}"
