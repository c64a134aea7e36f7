"""A map of tasks that shows which attempt solved each task.

If a task has several samples, the map shows the share of samples in which the task was solved.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import matplotlib as mpl
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.curves import solved_by
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.report.plots import panels, style
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

MAX_ROWS = 54
ACROSS = 70
"""Tasks per block; further tasks follow below."""
DISTINCT = 7
"""The number of attempts that have distinct shades; all later attempts share the last shade."""
SHARES = ("0", "below 1/3", "1/3 to 2/3", "above 2/3", "1")
_CELL = 0.165  # inches
_UNSOLVED, _ABSENT = style.EMPTY, "#D9D9D9"


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Draw one row per model, condition and framework, one column per task, and one block per suite."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    fields = [name for name in panels.varying(episodes) if name != "suite"] or ["framework"]
    names = panels.names(episodes, manifest)
    rows, warnings = panels.cut(list(panels.labelled(episodes, fields, names).items()), MAX_ROWS, "rows")
    cells = {
        (row, task): [e.solved_at if solved_by(e, repairs) else None for e in metrics.counted(members, repairs)]
        for row, part in rows
        for task, members in metrics.group(part, "suite", "task_id").items()
    }
    sampled = any(len(cell) > 1 for cell in cells.values())
    levels = list(SHARES) if sampled else _attempts(repairs)
    notes = [
        "Columns: tasks. Grey: not run, or censored before the task was solved."
        + (f" Shades: the share of uncensored samples solved within {repairs} repairs." if sampled else "")
    ]
    words = panels.words("Results by task", episodes, manifest, [part for _, part in rows], notes, warnings)
    words = replace(words, notices=[notice for notice in words.notices if not notice.startswith("POOLED")])
    if not metrics.counted(episodes, repairs):
        raise panels.nothing(episodes, repairs)

    blocks = _blocks(episodes)
    height = _CELL * len(rows) + 0.075 * max(len(task) for block in blocks for _, task in block) + 0.6
    widest = max(map(len, blocks))
    left = 0.075 * max(len(row) for row, _ in rows)
    legend = [*levels, "censored or not run"]
    body, axes = style.sheet(words, len(blocks), (left + 0.5 + _CELL * widest, height), legend, max_columns=1)
    colours = [*_shades(len(levels), rising=sampled), _ABSENT]
    level = _share if sampled else _attempt
    for block, ax in zip(blocks, axes, strict=True):
        grid = [[cells.get((row, task)) for task in block] for row, _ in rows]
        values = [[level(cell, len(levels)) if cell else float(len(levels)) for cell in line] for line in grid]
        ax.pcolormesh(values, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(colours) - 0.5, edgecolors="#999999",
                      linewidth=0.4)  # fmt: skip
        ax.set_yticks([y + 0.5 for y in range(len(rows))], [row for row, _ in rows], size=8)
        ax.set_xticks([x + 0.5 for x in range(len(block))], [task for _, task in block], rotation=90, size=7)
        ax.set_xlim(0, widest)  # columns have the same width in every block
        ax.invert_yaxis()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        if len({suite for suite, _ in itertools.chain(*blocks)}) > 1:
            ax.set_title(names.of("suite", block[0][0]))
    handles = [Patch(facecolor=colour, edgecolor=style.BLACK, linewidth=0.6) for colour in colours]
    return style.hang(body, handles, legend)


def _blocks(episodes: Sequence[Episode]) -> list[list[tuple[str, str]]]:
    """Sort the tasks by suite and id.

    Split each suite into blocks of similar size with at most `ACROSS` tasks.
    """
    tasks = sorted({(e.first.suite, e.first.task_id) for e in episodes})
    blocks = []
    for _, members in itertools.groupby(tasks, lambda task: task[0]):
        ids = list(members)
        pieces = -(-len(ids) // ACROSS)
        size = -(-len(ids) // pieces)
        blocks += [ids[start : start + size] for start in range(0, len(ids), size)]
    return blocks


def _attempts(repairs: int) -> list[str]:
    last = min(repairs, DISTINCT - 1)
    names = ["first answer", *(f"repair {k}" for k in range(1, last + 1))]
    if repairs > last:
        names[-1] += " or later"
    return [*names, "not solved"]


def _attempt(cell: list[int | None], levels: int) -> float:
    (at,) = cell
    return float(levels - 1 if at is None else min(at, levels - 2))


def _share(cell: list[int | None], levels: int) -> float:
    solved = sum(at is not None for at in cell)
    if solved in (0, len(cell)):
        return float(levels - 1 if solved else 0)
    return float(1 + (3 * solved >= len(cell)) + (3 * solved > 2 * len(cell)))


def _shades(n: int, *, rising: bool) -> list[Any]:
    """Return `n` shades from dark to white, or from white to dark if `rising`. In grey, all steps look equal."""
    dark = [mpl.colormaps["viridis"](0.08 + 0.84 * i / max(1, n - 2)) for i in range(n - 1)]
    return [_UNSOLVED, *reversed(dark)] if rising else [*dark, _UNSOLVED]
