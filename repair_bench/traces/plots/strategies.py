"""Prompting strategies: how models are spread under each, and which model does best under which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from repair_bench.traces import arms, metrics
from repair_bench.traces.analysis.curves import rate
from repair_bench.traces.metrics import FB_NOTE, Episode
from repair_bench.traces.notices import repairs_of
from repair_bench.traces.plots import panels, style
from repair_bench.traces.plots.categories import LOOKS, MARK_NAMES
from repair_bench.traces.row import Recorded
from repair_bench.traces.tiers import tier

_FEWEST = 4
"""Models that make a box; fewer are shown as points alone."""


def figure(attempts: Sequence[Recorded], manifest: dict[str, Any]) -> Figure:
    """Left: a box a strategy over the models; right: a cell a model and strategy. Frameworks are pooled.

    Strategies are prompt conditions, by Pass@1; where all conditions share one prompt they are its feedback arms, by
    FB@N.
    """
    paths = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    prompts = arms.prompts(paths)
    by_arm = len(prompts) == 1 and len(next(iter(prompts.values()))) > 1 and repairs > 0
    what, k = ("feedback arms", repairs) if by_arm else ("prompting strategies", 0)
    columns = list(next(iter(prompts.values()))) if by_arm else list(prompts)
    cells = _cells([e for e in paths if e.first.condition in columns], repairs, k)
    models = sorted({model for model, _ in cells})
    said = []
    if len(columns) == 1:
        said.append("ONE STRATEGY: this run has one prompt condition; list several in the experiment file.")
    if 0 < len(models) < _FEWEST:
        said.append(f"NO BOXES: a box needs {_FEWEST} models, and this run has {len(models)}; the points are models.")
    notes = [
        f"{f'FB@{k}' if k else 'Pass@1'}, frameworks pooled. Box: quartiles; whiskers: all models; diamonds: means.",
        *([FB_NOTE] if k else []),
    ]
    members = list(panels.labelled(paths, ["model", "condition"]).values())
    words = panels.words(f"Models under {what}", paths, manifest, members, notes, said)
    if not cells:
        return style.blank(words, panels.nothing(paths, repairs))

    # both axes have a row a strategy, so that its name stands once
    width = max(4.6, 0.55 * len(models) + 1.2)
    bottom = 0.07 * max(len(style.shorten(model, 30)) for model in models)
    tiers = [name for name in LOOKS if name in {tier(model) for model in models}]
    legend = [MARK_NAMES.get(name, name) for name in tiers]
    body, (left, right) = style.sheet(
        words, 2, (width, 0.36 * len(columns) + 0.7 + bottom), legend, gridspec_kw={"width_ratios": [1, 1]}, sharey=True
    )
    _boxes(left, cells, models, columns)
    _cells_drawn(right, cells, models, columns)
    left.set_yticks(range(len(columns)), [style.shorten(c, 32) for c in columns])
    left.set_ylim(len(columns) - 0.5, -0.5)
    left.set_xlabel("episodes solved (%)")
    handles = [left.plot([], [], linestyle="", **LOOKS[name])[0] for name in tiers]
    return style.hang(body, handles, legend)


def _cells(paths: Sequence[Episode], repairs: int, k: int) -> dict[tuple[str, str], float]:
    found = {}
    for (model, condition), members in metrics.group(metrics.counted(paths, repairs), "model", "condition").items():
        estimate = rate(members, k).estimate
        if estimate is not None:
            found[str(model), str(condition)] = 100 * estimate
    return found


def _boxes(ax: Any, cells: Mapping[tuple[str, str], float], models: Sequence[str], columns: Sequence[str]) -> None:
    for y, column in enumerate(columns):
        here = [(model, cells[model, column]) for model in models if (model, column) in cells]
        values = [value for _, value in here]
        if len(values) >= _FEWEST:
            ax.boxplot(values, positions=[y], orientation="horizontal", widths=0.6, whis=(0, 100), manage_ticks=False,
                       medianprops={"color": style.BLACK}, showfliers=False)  # fmt: skip
        for index, (model, value) in enumerate(here):
            offset = 0.24 * (index / max(1, len(here) - 1) - 0.5)
            ax.plot(value, y + offset, linestyle="", clip_on=False, alpha=0.75, **LOOKS[tier(model)])
        if len(values) > 1:
            ax.plot(sum(values) / len(values), y, marker="D", color=style.VERMILLION, markeredgecolor="white", zorder=4)
    ax.set_xlim(-2, 102)
    ax.set_xticks(range(0, 101, 20))
    ax.grid(axis="x")


def _cells_drawn(
    ax: Any, cells: Mapping[tuple[str, str], float], models: Sequence[str], columns: Sequence[str]
) -> None:
    values = [[cells.get((model, column), float("nan")) for model in models] for column in columns]
    ax.imshow(values, cmap=mpl.colormaps["Blues"], vmin=0, vmax=100, aspect="auto", interpolation="nearest")
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            shown = "-" if value != value else f"{value:.0f}"  # noqa: PLR0124 - not a number
            ax.text(x, y, shown, ha="center", va="center", size=8, color="white" if value > 60 else style.BLACK)
    ax.set_xticks(range(len(models)), [style.shorten(m, 30) for m in models], rotation=90, size=8)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
