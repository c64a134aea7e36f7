"""Prompting strategies: how models are spread under each, and which model does best under which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from repair_bench.analysis import arms, metrics
from repair_bench.analysis.curves import rate
from repair_bench.analysis.metrics import FB_NOTE, Episode
from repair_bench.analysis.notices import repairs_of
from repair_bench.analysis.open_weights import tier
from repair_bench.report.plots import panels, style
from repair_bench.report.plots.categories import LOOKS, MARK_NAMES
from repair_bench.report.table import Rate
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

_FEWEST = 4
"""Models that make a box; fewer are shown as points alone."""


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Left: a box a strategy over the models; right: a cell a model and strategy. Frameworks are pooled.

    Strategies are prompt conditions, by Pass@1; where all conditions share one prompt they are its feedback arms, by
    FB@N.
    """
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    prompts = arms.prompts(episodes)
    by_arm = len(prompts) == 1 and len(next(iter(prompts.values()))) > 1 and repairs > 0
    what, k = ("feedback arms", repairs) if by_arm else ("prompting strategies", 0)
    columns = list(next(iter(prompts.values()))) if by_arm else list(prompts)
    cells = _cells([e for e in episodes if e.first.condition in columns], repairs, k)
    models = sorted({model for model, _ in cells})
    warnings = []
    if len(columns) == 1:
        warnings.append("ONE STRATEGY: this run has one prompt condition; list several in the experiment file.")
    if 0 < len(models) < _FEWEST:
        warnings.append(
            f"NO BOXES: a box needs {_FEWEST} models, and this run has {len(models)}; the points are models."
        )
    notes = [
        f"{f'FB@{k}' if k else 'Pass@1'}, frameworks pooled. Box: quartiles; whiskers: all models; diamonds: means.",
        *([FB_NOTE] if k else []),
    ]
    members = list(panels.labelled(episodes, ["model", "condition"]).values())
    words = panels.words(f"Models under {what}", episodes, manifest, members, notes, warnings)
    if not cells:
        return style.blank(words, panels.nothing(episodes, repairs))

    # both axes have a row a strategy, so that its name stands once
    width = max(4.6, 0.55 * len(models) + 1.2)
    bottom = 0.07 * max(len(style.shorten(model, 30)) for model in models)
    tier_names = [name for name in LOOKS if name in {tier(model) for model in models}]
    legend = [MARK_NAMES.get(name, name) for name in tier_names]
    body, (left, right) = style.sheet(
        words, 2, (width, 0.36 * len(columns) + 0.7 + bottom), legend, gridspec_kw={"width_ratios": [1, 1]}, sharey=True
    )
    _boxes(left, cells, models, columns)
    _cells_drawn(right, cells, models, columns)
    left.set_yticks(range(len(columns)), [style.shorten(c, 32) for c in columns])
    left.set_ylim(len(columns) - 0.5, -0.5)
    left.set_xlabel("episodes solved (%)")
    handles = [left.plot([], [], linestyle="", **LOOKS[name])[0] for name in tier_names]
    return style.hang(body, handles, legend)


def _cells(episodes: Sequence[Episode], repairs: int, k: int) -> dict[tuple[str, str], float]:
    rates = {}
    for (model, condition), members in metrics.group(metrics.counted(episodes, repairs), "model", "condition").items():
        estimate = rate(members, k).estimate
        if estimate is not None:
            rates[str(model), str(condition)] = estimate
    return rates


def _boxes(ax: Any, cells: Mapping[tuple[str, str], float], models: Sequence[str], columns: Sequence[str]) -> None:
    for y, column in enumerate(columns):
        here = [(model, 100 * cells[model, column]) for model in models if (model, column) in cells]
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
    rates = [[cells.get((model, column)) for model in models] for column in columns]
    colours = [[float("nan") if rate is None else rate for rate in row] for row in rates]
    ax.imshow(colours, cmap=mpl.colormaps["Blues"], vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    for y, row in enumerate(rates):
        for x, value in enumerate(row):
            colour = "white" if value is not None and value > 0.6 else style.BLACK
            ax.text(x, y, str(Rate(value)), ha="center", va="center", size=8, color=colour)
    ax.set_xticks(range(len(models)), [style.shorten(m, 30) for m in models], rotation=90, size=8)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
