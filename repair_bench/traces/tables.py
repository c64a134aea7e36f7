"""The table after a run: one summary, as plain data for machines, and the same rendered for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from repair_bench.traces import metrics
from repair_bench.traces.metrics import FB_NOTE, Episode, Total
from repair_bench.traces.notices import count, excluded, notices, reference_wrong, repairs_of
from repair_bench.traces.records import Attempt
from repair_bench.traces.statistics import wilson

CONFIDENCE = 0.95
_KEYS = ("model", "framework", "suite", "condition")


def summary(manifest: dict[str, Any], attempts: Sequence[Attempt]) -> dict[str, Any]:
    """The figures of a run, as JSON data; what `--json` prints.

    `rows`: one a model, framework, suite and condition. `rows_without_reference_wrong`: the same over the tasks whose
    reference is right, empty when the manifest lists no other. `total`: sums over the whole run, each completion once.
    In a row, `fb[k]` is {"k", "solved", "rate", "low", "high"} with rates in 0..1 and a 95% Wilson interval, None
    without episodes; `pass_at_1` is `fb[0]`'s rate; `counted` is the n of the rates. A sum is {"value", "known",
    "unknown"}: `value` is None when `unknown` completions did not report the figure, and `known` is the rest.
    """
    paths = metrics.episodes(attempts)
    repairs = repairs_of(manifest, attempts)
    wrong = reference_wrong(manifest)
    right = [e for e in paths if (e.first.suite, e.first.task_id) not in wrong]
    return {
        "rows": _rows(paths, repairs),
        "rows_without_reference_wrong": _rows(right, repairs) if wrong else [],
        "total": {"episodes": len(paths), **_sums(attempts)},
        "reference_wrong": len(wrong),
        "excluded": excluded(manifest),
        "notices": notices(manifest, paths),
        "note": FB_NOTE,
    }


def render(figures: dict[str, Any], width: int = 80) -> Group:
    """A `summary` for a terminal of `width` columns; readable from 80 columns on."""
    rows, right = figures["rows"], figures["rows_without_reference_wrong"]
    shown = [key for key in _KEYS[2:] if len({row[key] for row in rows}) > 1]
    parts: list[RenderableType] = [Text(line, style="bold yellow") for line in figures["notices"]]
    if not rows:
        parts.append(Text("No attempt is recorded yet."))
    else:
        parts += _rates("Solved, in % of the episodes counted (n), with 95% Wilson intervals", rows, shown, width)
    if right:
        wrong = count(figures["reference_wrong"], "task")
        parts += _rates(f"The same without the {wrong} whose reference is wrong", right, shown, width)
    if rows:
        parts.append(_counts(rows, figures["total"], shown, width))
    parts += [
        Text(f"Excluded, not judged and not in any figure: {count(n, 'task')}: {reason}")
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
    points = []
    for k, solved in enumerate(curve.solved):
        low, high = wilson(solved, curve.n, CONFIDENCE) or (None, None)
        points.append({"k": k, "solved": solved, "rate": curve.rate(k), "low": low, "high": high})
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


def _sums(attempts: Sequence[Attempt]) -> dict[str, Any]:
    sums = {
        "prompt_tokens": metrics.tokens(attempts, "prompt_tokens"),
        "completion_tokens": metrics.tokens(attempts, "completion_tokens"),
        "cost_usd": metrics.cost(attempts),
    }
    return {name: {"value": t.value, "known": t.known, "unknown": t.unknown} for name, t in sums.items()}


_LABEL_WIDTH = 20
_RATE_WIDTH = 10  # "29.9-47.1" and a space


def _rates(title: str, rows: list[dict[str, Any]], shown: list[str], width: int) -> Iterator[Table]:
    """Two lines a cell, the rate over its interval; a long curve goes on in further tables."""
    ks = range(len(rows[0]["fb"]))
    at_once = max(1, (width - _LABEL_WIDTH) // _RATE_WIDTH)
    for start in range(0, len(ks), at_once):
        table = _table(title if start == 0 else f"{title}, continued")
        table.add_column("model\nframework, n", max_width=_label_width(width), overflow="fold")
        for k in ks[start : start + at_once]:
            table.add_column("Pass@1\n= FB@0" if k == 0 else f"FB@{k}", justify="right", no_wrap=True)
        for row in rows:
            table.add_row(_label(row, shown, n=True), *(_rate(p) for p in row["fb"][start : start + at_once]))
        yield table


def _counts(rows: list[dict[str, Any]], total: dict[str, Any], shown: list[str], width: int) -> Table:
    table = _table("Counts and costs")
    table.add_column("model\nframework", max_width=_label_width(width), overflow="fold")
    for name in ("tasks", "episodes", "faults", "incom-\nplete", "tokens\nin", "tokens\nout", "cost\nUSD"):
        table.add_column(name, justify="right")
    for row in rows:
        numbers = (f"{row[k]:,}" for k in ("tasks", "episodes", "faults", "incomplete"))
        table.add_row(_label(row, shown), *numbers, *_sum_cells(row))
    if len(rows) > 1:
        table.add_section()
        table.add_row(Text("all"), "", f"{total['episodes']:,}", "", "", *_sum_cells(total))
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)


def _label_width(width: int) -> int:
    """Names get what is left at 80 columns and grow with the terminal, up to a line of 40."""
    return min(40, _LABEL_WIDTH - 1 + max(0, width - 80))


def _label(row: dict[str, Any], shown: list[str], *, n: bool = False) -> Text:
    second = [row["framework"], *(str(row[key]) for key in shown)]
    if n:
        second.append(f"n {row['counted']}")
    return Text(f"{row['model']}\n{', '.join(second)}")


def _rate(point: dict[str, Any]) -> Text:
    if point["rate"] is None:
        return Text("-")
    return Text(f"{_percent(point['rate'])}\n{_percent(point['low'])}-{_percent(point['high'])}")


def _percent(rate: float) -> str:
    return "100" if rate >= 0.9995 else f"{100 * rate:.1f}"


def _sum_cells(row: dict[str, Any]) -> Iterator[Text]:
    for name, form in (("prompt_tokens", ",.0f"), ("completion_tokens", ",.0f"), ("cost_usd", ",.4f")):
        yield _sum(Total(row[name]["known"], row[name]["unknown"]), form)


def _sum(total: Total, form: str) -> Text:
    if not total.unknown:
        return Text(format(total.known, form))
    known = f"{total.known:{form}}\n" if total.known else ""
    return Text(f"{known}{'+ ' if known else ''}{total.unknown:,} unknown")
