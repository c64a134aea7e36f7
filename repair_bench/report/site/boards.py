"""Leaderboards as tables and curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.analysis.comparing.bounds import Bound
from repair_bench.analysis.comparing.leaderboard import Board, Standing
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.rates.metrics import FB_NOTE
from repair_bench.report.page.figures import Inline, figure
from repair_bench.report.plots import panels, repair_curve, style
from repair_bench.report.sections.base import rate, solved_within, utilisation
from repair_bench.report.table import Cell, Count, Number, Table, Text, Unknown
from repair_bench.text import count

NOTE = (
    "Solve rates in %, with 95% intervals clustered by problem; sorted by the rate after all repairs. sound: rate on "
    "tasks without errata. feedback utilisation: 0 for a model that ignores the content of feedback, and 1 for the "
    "ideal observer. Feedback utilisation is measured on tasks that hide a convention, in all frameworks together. "
    "Tokens: input and output. Runs with different tasks have separate tables. Runs that were forked from "
    "another run are not listed."
)


def table(board: Board, marks: Mapping[str, str]) -> Table:
    """Return the table of a leaderboard. `marks`: remarks on runs, keyed by the name of the run."""
    return Table.of("", board.standings, lambda standing: _cells(standing, board, marks), NOTE)


def _cells(one: Standing, board: Board, marks: Mapping[str, str]) -> Mapping[str, Cell]:
    row, sound = one.row, one.sound
    last = len(one.fb) - 1
    cells: dict[str, Cell] = {
        "model": Text(row["model"], "heading", "simulated" if one.simulated else ""),
        "condition": Text(row["condition"], "name"),
        "framework": Text(row["framework"], "name", one.versions.get(row["framework"], "")),
        "run": Text(one.run, "text", marks.get(one.run, ""), f"runs/{one.run}/index.html"),
    }
    for k in board.repairs:
        cells[solved_within(k)] = rate(one.fb[k]) if k <= last else Unknown()
    for k in dict.fromkeys((0, board.repairs[-1])) if board.doubted else ():
        cells[f"{solved_within(k)} sound"] = rate(sound["fb"][k]) if sound is not None and k <= last else Unknown()
    if any(other.use is not None for other in board.standings):
        use = one.use
        cells["feedback utilisation"] = Unknown() if use is None else utilisation(use.to_json())
    return {
        **cells,
        "tokens per episode": Number(_each(row, "prompt_tokens", "completion_tokens"), ",.0f", word="unknown"),
        "USD per episode": Number(_each(row, "cost_usd"), ",.4f", word="unknown"),
        "tasks": Count(row["tasks"]),
        "episodes": Count(row["counted"]),
    }


def _each(row: Mapping[str, Any], *names: str) -> float | None:
    values = [row[name]["value"] for name in names]
    return None if None in values or not row["episodes"] else sum(values) / row["episodes"]


def curves(board: Board, number: int) -> Inline | None:
    """Draw the repair curves of a leaderboard's first rows, with one panel per framework.

    Returns None if no rate is known.
    """
    shown = [one for one in board.standings if one.fb[0]["rate"] is not None and not one.regraded]
    lines = list(dict.fromkeys(map(_line, shown)))
    kept = set(lines[: panels.MAX_SERIES])
    warnings = [f"ONLY {len(kept)} of {len(lines)} curves are drawn."] if len(lines) > len(kept) else []
    by_panel: dict[str, dict[str, list[Bound]]] = {}
    for one in sorted(shown, key=lambda one: str(one.row["framework"])):
        if _line(one) in kept:
            n, problems = one.row["counted"], one.row["tasks"]
            points = [Interval(point["rate"], point["low"], point["high"], n, problems) for point in one.fb]
            by_panel.setdefault(str(one.row["framework"]), {})[_line(one)] = repair_curve.exact(points)
    if not by_panel:
        return None
    if any(one.regraded for one in board.standings):
        warnings.append("REGRADED runs have no curve here. The pages of regraded runs show bounds of the solve rate.")
    if any(one.simulated for one in shown):
        warnings.append("SIMULATED MODELS are included; their figures are not evidence about real models.")
    title = f"Repair curves: {board.suite} {board.version}, rule {board.rule}"
    subtitle = count(len({one.run for one in shown}), "run")
    words = style.Words(
        title, subtitle, warnings, ["95% intervals clustered by problem. n: episodes counted.", FB_NOTE]
    )
    with style.applied():
        svg = style.drawing(repair_curve.draw_curves(words, by_panel, board.repairs[-1]))
    return figure(f"curves-{number}", "Repair curves", svg)


def _line(one: Standing) -> str:
    return " / ".join((str(one.row["model"]), str(one.row["condition"]), one.run))


def doubts(board: Board) -> Sequence[str]:
    return [f"{count(len(tasks), 'task')} {label}: {', '.join(tasks)}." for label, tasks in board.doubted.items()]
