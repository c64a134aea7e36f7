"""Prompting strategies: how models are spread under each, and which model does best under which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from repair_bench.analysis import arms, metrics
from repair_bench.analysis.curves import rate
from repair_bench.analysis.intervals import Interval
from repair_bench.analysis.metrics import FB_NOTE, Episode
from repair_bench.analysis.notices import interval_note, repairs_of
from repair_bench.report.plots import NothingToDraw, dots, panels, style
from repair_bench.report.table import Rate
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

_FEWEST = 4
"""Models that make a box; fewer are shown as points alone."""
_PER_LETTER = 0.065
"""Inches that a letter of a model's name takes."""


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Left: a row a strategy with a mark a model; right: a cell a model and strategy. Frameworks are pooled.

    Strategies are prompt conditions, by Pass@1; where all conditions share one prompt they are its feedback arms, by
    FB@N.
    """
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    prompts = arms.prompts(episodes)
    by_arm = len(prompts) == 1 and len(next(iter(prompts.values()))) > 1 and repairs > 0
    what, k = ("feedback arms", repairs) if by_arm else ("prompting strategies", 0)
    columns = list(next(iter(prompts.values()))) if by_arm else list(prompts)
    drawn = [e for e in episodes if e.first.condition in columns]
    if not metrics.counted(drawn, 0):
        raise panels.nothing(episodes, repairs)
    if len(columns) == 1:
        raise NothingToDraw("this run has one condition; list several in the experiment file, as in feedback arms")
    models, warnings = panels.cut([model for (model,) in metrics.group(drawn, "model")], panels.MOST_SERIES, "models")
    short = panels.names(episodes, manifest)
    warnings += panels.pooled(drawn, short)
    members = panels.labelled([e for e in drawn if e.first.model in models], ["model", "condition"], short)
    cells = _cells(drawn, k)
    notes = [
        f"{f'FB@{k}' if k else 'Pass@1'}, frameworks pooled. Lines: {interval_note(members.values())}."
        + (" Boxes: quartiles of the models' rates." if len(models) >= _FEWEST else ""),
        *([FB_NOTE] if k else []),
    ]
    title = f"Models under {what}"
    words = panels.words(title, episodes, manifest, list(members.values()), notes, warnings, drawn=drawn)

    # both axes have a row a strategy, so that its name stands once
    width = max(4.6, 0.55 * len(models) + 1.2)
    longest = _PER_LETTER * max(len(short.of("model", model)) for model in models)
    upright = longest > 0.9 * width / len(models)
    bottom = longest if upright else 0.2
    handles = dots.handles(models, short)
    size = (width, dots.height(max(2, len(models))) * len(columns) + 0.7 + bottom)
    body, (left, right) = style.sheet(words, 2, size, list(handles), sharey=True)
    for y, column in enumerate(columns):
        here = {model: cells[model, column] for model in models if (model, column) in cells}
        _box(left, y, [100 * interval.estimate for interval in here.values() if interval.estimate is not None])
        dots.row(left, y, {model: dots.Dot(interval) for model, interval in here.items()}, models)
    dots.scale(left, {float(y): short.of("condition", column) for y, column in enumerate(columns)})
    left.set_xlabel("episodes solved (%)")
    _draw_cells(right, cells, models, columns)
    names = [short.of("model", model) for model in models]
    right.set_xticks(range(len(models)), names, rotation=90 if upright else 0, size=8)
    return style.hang(body, list(handles.values()), list(handles))


def _cells(episodes: Sequence[Episode], k: int) -> dict[tuple[str, str], Interval]:
    known = metrics.group(episodes, "model", "condition")
    return {(str(model), str(condition)): rate(members, k) for (model, condition), members in known.items()}


def _box(ax: Any, y: int, values: Sequence[float]) -> None:
    if len(values) >= _FEWEST:
        looks = {"facecolor": style.SHADE, "edgecolor": style.GREY, "linewidth": 0.8}
        ax.boxplot(values, positions=[y], orientation="horizontal", widths=0.86, whis=(0, 100), manage_ticks=False,
                   patch_artist=True, boxprops=looks, medianprops={"color": style.BLACK}, showfliers=False,
                   zorder=1)  # fmt: skip


def _draw_cells(
    ax: Any, cells: Mapping[tuple[str, str], Interval], models: Sequence[str], columns: Sequence[str]
) -> None:
    rates = [[cells[model, column].estimate if (model, column) in cells else None for model in models]
             for column in columns]  # fmt: skip
    colours = [[float("nan") if rate is None else rate for rate in row] for row in rates]
    across, down = ([i - 0.5 for i in range(n + 1)] for n in (len(models), len(columns)))
    ax.pcolormesh(across, down, colours, cmap=mpl.colormaps["Blues"], vmin=0, vmax=1)  # no image: a page shows none
    ax.set_ylim(down[-1], down[0])
    for y, row in enumerate(rates):
        for x, value in enumerate(row):
            colour = style.ON_DARK if value is not None and value > 0.6 else style.ON_PALE
            ax.text(x, y, str(Rate(value)), ha="center", va="center", size=8, color=colour)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
