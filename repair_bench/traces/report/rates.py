"""The tables of the report, made of cells that sort by number where they are numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.traces import metrics
from repair_bench.traces.analysis.curves import curve_intervals
from repair_bench.traces.metrics import Episode
from repair_bench.traces.notices import interval_note, repairs_of
from repair_bench.traces.row import Recorded
from repair_bench.traces.taxonomy import ERROR_CLASSES

_KEYS = ("model", "suite", "condition", "framework")


@dataclass(frozen=True)
class Cell:
    """`small` stands below the text; `sort` is what the column is sorted by, None last; `share` in 0..1 is drawn."""

    text: str
    sort: float | str | None = None
    small: str = ""
    share: tuple[float, float, float] | None = None
    """A rate and its interval."""


@dataclass(frozen=True)
class Sheet:
    """A table. `named`: how many of the first columns name the row."""

    id: str
    title: str
    note: str
    columns: list[str]
    named: int
    rows: list[list[Cell]]


def sheets(manifest: dict[str, Any], attempts: Sequence[Recorded], summary: dict[str, Any]) -> list[Sheet]:
    """All tables that have rows; the first one is the main one."""
    paths = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    right = summary["rows_without_reference_wrong"]
    found = [
        _rates("rates", f"Solved, in %, with {summary['intervals']}", summary["rows"]),
        _rates("rates-right", "Solved, in %, without the tasks whose reference is wrong", right),
        _spent(summary["rows"]),
        _failures(paths, repairs),
        *(_by(field, paths, repairs) for field in ("category", "difficulty")),
    ]
    return [sheet for sheet in found if sheet.rows]


def _rates(name: str, title: str, rows: Sequence[dict[str, Any]]) -> Sheet:
    points = [f"FB@{point['k']}" if point["k"] else "Pass@1" for point in (rows[0]["fb"] if rows else ())]
    return _sheet(
        name,
        title,
        "",
        rows,
        ["n", "faults", "not finished", *points],
        lambda row: [
            *(_number(row[key]) for key in ("counted", "faults", "incomplete")),
            *(_rate(point["rate"], point["low"], point["high"]) for point in row["fb"]),
        ],
    )


def _spent(rows: Sequence[dict[str, Any]]) -> Sheet:
    note = "Each completion is counted once in a row; arms that share a first answer each count it in their own row."
    forms = {"prompt_tokens": ",.0f", "completion_tokens": ",.0f", "cost_usd": ",.4f"}
    return _sheet(
        "costs",
        "Counts and costs",
        note,
        rows,
        ["tasks", "episodes", "tokens in", "tokens out", "cost, USD"],
        lambda row: [
            *(_number(row[key]) for key in ("tasks", "episodes")),
            *(_sum(row[key], form) for key, form in forms.items()),
        ],
    )


def _failures(paths: Sequence[Episode], repairs: int) -> Sheet:
    def cells(members: Sequence[Episode]) -> list[Cell]:
        before, after = metrics.errors(members, repairs)
        return [Cell(f"{before[name]:,} → {after[name]:,}", before[name]) for name in ERROR_CLASSES]

    note = "Counted episodes by the class of their first answer → by that of their last attempt. Sorts by the first."
    rows = [
        {**dict(zip(_KEYS, key, strict=True)), "members": members}
        for key, members in metrics.group(paths, *_KEYS).items()
        if metrics.counted(members, repairs)
    ]
    return _sheet(
        "failures",
        "Failures before and after feedback",
        note,
        rows,
        list(ERROR_CLASSES),
        lambda row: cells(row["members"]),
    )


def _by(field: str, paths: Sequence[Episode], repairs: int) -> Sheet:
    keys = (field, "model", "suite", "condition")
    groups = {key: members for key, members in metrics.group(paths, *keys).items() if key[0] is not None}
    rows = [{**dict(zip(keys, key, strict=True)), "members": members} for key, members in groups.items()]
    points = [0, repairs] if repairs else [0]

    def cells(members: Sequence[Episode]) -> list[Cell]:
        curve, intervals = metrics.curve(members, repairs), curve_intervals(members, repairs)
        return [_number(curve.n), *(_rate(curve.rate(k), intervals[k].low, intervals[k].high) for k in points)]

    return _sheet(
        field,
        f"Solved by {field}, in %",
        f"Frameworks together; {interval_note(groups.values())}.",
        rows if len({row[field] for row in rows}) > 1 else [],
        ["n", *(f"FB@{k}" if k else "Pass@1" for k in points)],
        lambda row: cells(row["members"]),
        keys,
    )


def _sheet(
    name: str,
    title: str,
    note: str,
    rows: Sequence[dict[str, Any]],
    columns: list[str],
    cells: Callable[[dict[str, Any]], Iterable[Cell]],
    keys: Sequence[str] = _KEYS,
) -> Sheet:
    """Rows under the keys that differ among them; the first key always stands."""
    shown = [key for key in keys if key == keys[0] or len({row[key] for row in rows}) > 1]
    table = [[*(Cell(str(row[key]), str(row[key])) for key in shown), *cells(row)] for row in rows]
    return Sheet(name, title, note, [*shown, *columns], len(shown), table)


def _number(n: int) -> Cell:
    return Cell(f"{n:,}", n)


def _rate(rate: float | None, low: float | None, high: float | None) -> Cell:
    if rate is None or low is None or high is None:
        return Cell("–", None)
    return Cell(f"{100 * rate:.1f}", rate, f"{100 * low:.1f}–{100 * high:.1f}", (rate, low, high))


def _sum(total: dict[str, Any], form: str) -> Cell:
    known, unknown = total["known"], total["unknown"]
    if unknown:
        return Cell(format(known, form), None, f"+ {unknown:,} unknown") if known else Cell("unknown")
    return Cell(format(known, form), known)
