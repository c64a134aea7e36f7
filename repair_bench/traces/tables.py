"""The table after a run: one summary, as plain data for machines, and the same rendered for people."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from rich.align import VerticalAlignMethod
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from repair_bench.traces import metrics
from repair_bench.traces.analysis.curves import curve_intervals
from repair_bench.traces.metrics import FB_NOTE, Episode
from repair_bench.traces.notices import count, excluded, interval_note, notices, reference_wrong, repairs_of
from repair_bench.traces.row import Recorded

_KEYS = ("model", "suite", "condition", "framework")


def summary(manifest: dict[str, Any], attempts: Sequence[Recorded]) -> dict[str, Any]:
    """The figures of a run as `load_run` gives it, as JSON data; what `--json` prints.

    `rows`: one a model, suite, condition and framework. `rows_without_reference_wrong`: the same over the tasks whose
    reference is right, empty when the manifest lists no other. `total`: sums over the whole run, each completion once.
    In a row, `fb[k]` is {"k", "solved", "rate", "low", "high"} with rates in 0..1 and a 95% interval, None without
    episodes: Wilson's where each episode is a problem of its own, over problems where a row holds several samples;
    `intervals` says which. `pass_at_1` is `fb[0]`'s rate; `counted` is the n of the rates. A sum is {"value", "known",
    "unknown"}: `value` is None when `unknown` completions did not report the figure, and `known` is the rest.
    """
    paths = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    wrong = reference_wrong(manifest)
    right = [e for e in paths if (e.first.suite, e.first.task_id) not in wrong]
    return {
        "rows": _rows(paths, repairs),
        "rows_without_reference_wrong": _rows(right, repairs) if wrong else [],
        "total": {"episodes": len(paths), **_sums(attempts)},
        "reference_wrong": len(wrong),
        "excluded": excluded(manifest),
        "notices": notices(paths, manifest),
        "intervals": interval_note(metrics.group(paths, *_KEYS).values()),
        "note": FB_NOTE,
    }


def render(figures: dict[str, Any], width: int = 80) -> Group:
    """A `summary` for a terminal of `width` columns; readable from 80 columns on."""
    rows, right = figures["rows"], figures["rows_without_reference_wrong"]
    parts: list[RenderableType] = [Text(notice, style="bold yellow") for notice in figures["notices"]]
    if rows:
        parts += _rates(f"Solved, in % of the n episodes counted, with {figures['intervals']}", rows, width)
        if right:
            wrong = count(figures["reference_wrong"], "task")
            parts += _rates(f"The same without the {wrong} whose reference is wrong", right, width)
        parts += _counts(rows, figures["total"])
    else:
        parts.append(Text("No attempt is recorded yet."))
    parts.append(Text())
    parts += [
        Text(f"Excluded, not judged and in no figure: {count(n, 'task')}: {reason}")
        for reason, n in figures["excluded"].items()
    ]
    parts.append(Text(figures["note"], style="dim"))
    return Group(*parts)


def _rows(paths: Sequence[Episode], repairs: int) -> list[dict[str, Any]]:
    return [
        {**dict(zip(_KEYS, key, strict=True)), **_row(members, repairs)}
        for key, members in metrics.group(paths, *_KEYS).items()
    ]


def _row(paths: Sequence[Episode], repairs: int) -> dict[str, Any]:
    curve = metrics.curve(paths, repairs)
    points = [
        {"k": k, "solved": solved, "rate": curve.rate(k), "low": interval.low, "high": interval.high}
        for k, (solved, interval) in enumerate(zip(curve.solved, curve_intervals(paths, repairs), strict=True))
    ]
    return {
        "tasks": len({(e.first.suite, e.first.task_id) for e in paths}),
        "episodes": len(paths),
        "counted": curve.n,
        "faults": curve.faults,
        "incomplete": curve.incomplete,
        "pass_at_1": curve.rate(0),
        "fb": points,
        **_sums([a for e in paths for a in e.attempts]),
    }


def _sums(attempts: Sequence[Recorded]) -> dict[str, Any]:
    sums = {
        "prompt_tokens": metrics.tokens(attempts, "prompt_tokens"),
        "completion_tokens": metrics.tokens(attempts, "completion_tokens"),
        "cost_usd": metrics.cost(attempts),
    }
    return {name: {"value": t.value, "known": t.known, "unknown": t.unknown} for name, t in sums.items()}


_LABEL = ("", 14)
_RATE_WIDTH = 11  # "96.9-100" or "29.9-47.1", and a gap
_COUNT_COLUMNS = (
    _LABEL,
    ("tasks", 6),
    ("episodes", 10),
    ("faults", 8),
    ("incom-\nplete", 8),
    ("tokens in", 11),
    ("out", 9),
    ("cost USD", 14),
)


def _rates(title: str, rows: Sequence[dict[str, Any]], width: int) -> Iterator[RenderableType]:
    """Two lines a cell, the rate over its interval; a long curve goes on in further sections."""
    points = len(rows[0]["fb"])
    at_once = max(1, (width - _LABEL[1]) // _RATE_WIDTH)
    for start in range(0, points, at_once):
        ks = range(start, min(start + at_once, points))
        columns = [_LABEL, *(("Pass@1\n= FB@0" if k == 0 else f"FB@{k}", _RATE_WIDTH) for k in ks)]
        table = [
            (row, [f"{row['framework']}\nn {row['counted']:,}", *(_rate(row["fb"][k]) for k in ks)]) for row in rows
        ]
        yield from _section(title if start == 0 else f"{title}, continued", columns, table)


def _counts(rows: Sequence[dict[str, Any]], total: dict[str, Any]) -> Iterator[RenderableType]:
    names = ("tasks", "episodes", "faults", "incomplete")
    table = [(row, [row["framework"], *(f"{row[name]:,}" for name in names), *_sums_shown(row)]) for row in rows]
    yield from _section("Counts and costs", _COUNT_COLUMNS, table)
    if len(rows) > 1:
        grid = _grid(_COUNT_COLUMNS)
        grid.add_row("all", "", f"{total['episodes']:,}", "", "", *_sums_shown(total))
        yield grid


def _section(
    title: str, columns: Sequence[tuple[str, int]], table: Sequence[tuple[dict[str, Any], list[str]]]
) -> Iterator[RenderableType]:
    """A heading, then one grid a model, so that its name, however long, has a line of its own."""
    yield Text(f"\n{title}", style="bold")
    header = _grid(columns, vertical="bottom")
    header.add_row(*(name for name, _ in columns))
    yield header
    several = [key for key in ("suite", "condition") if len({row[key] for row, _ in table}) > 1]
    for heading, members in itertools.groupby(table, lambda entry: [entry[0][key] for key in ("model", *several)]):
        yield Text(", ".join(map(str, heading)), style="cyan")
        grid = _grid(columns)
        for _, cells in members:
            grid.add_row(*map(Text, cells))
        yield grid


def _grid(columns: Sequence[tuple[str, int]], vertical: VerticalAlignMethod = "top") -> Table:
    grid = Table.grid()
    for index, (_, width) in enumerate(columns):
        grid.add_column(width=width, justify="right" if index else "left", vertical=vertical)
    return grid


def _rate(point: dict[str, Any]) -> str:
    if point["rate"] is None:
        return "-"
    return f"{_percent(point['rate'])}\n{_percent(point['low'])}-{_percent(point['high'])}"


def _percent(rate: float) -> str:
    return "100" if rate >= 0.9995 else f"{100 * rate:.1f}"


def _sums_shown(row: dict[str, Any]) -> Iterator[str]:
    for name, form in (("prompt_tokens", ",.0f"), ("completion_tokens", ",.0f"), ("cost_usd", ",.4f")):
        known, unknown = row[name]["known"], row[name]["unknown"]
        if not unknown:
            yield format(known, form)
        else:
            yield f"{known:{form}}\n+{unknown:,} unknown" if known else "unknown"
