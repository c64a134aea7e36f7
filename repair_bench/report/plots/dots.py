"""Rows of dots with 95% intervals, a mark of its own for each model: what categories and strategies are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.lines import Line2D

from repair_bench.analysis.intervals import Interval
from repair_bench.analysis.open_weights import tier
from repair_bench.report.display_names import DisplayNames
from repair_bench.report.plots import style


@dataclass(frozen=True)
class Dot:
    """Rates in 0..1: `filled` with its interval, and `hollow` without it where there are two."""

    filled: Interval
    hollow: Interval | None = None


def height(models: int) -> float:
    """Inches of a row that holds so many models, one below the other."""
    return 0.14 * models + 0.12


def row(ax: Any, y: float, dots: Mapping[str, Dot], models: Sequence[str]) -> None:
    """Draw one row around `y`, which is 1 high; a model's place in `models` decides its mark and its place."""
    for index, model in enumerate(models):
        if (dot := dots.get(model)) is None or dot.filled.estimate is None:
            continue
        at = y + 0.8 * ((index + 0.5) / len(models) - 0.5)
        look = mark(index)
        ax.hlines(at, 100 * (dot.filled.low or 0), 100 * (dot.filled.high or 0), color=look["color"], linewidth=1)
        ax.plot(100 * dot.filled.estimate, at, clip_on=False, zorder=3, **look)
        if dot.hollow is not None and dot.hollow.estimate is not None:
            ax.plot(100 * dot.hollow.estimate, at, clip_on=False, zorder=2.5, **look, markerfacecolor=style.PAPER)


def scale(ax: Any, ticks: Mapping[float, str]) -> None:
    """The axes of a panel of rows, the first on top. `ticks`: the name of each row by its place."""
    ax.set_yticks(list(ticks), list(ticks.values()), size=8)
    ax.set_ylim(max(ticks) + 0.5, min(ticks) - 0.5)
    ax.set_xlim(-2, 102)
    ax.set_xticks(range(0, 101, 20))
    ax.grid(axis="x")
    ax.tick_params(axis="y", length=0)


def mark(index: int) -> dict[str, Any]:
    """The mark of the model with this number."""
    look = style.line(index)
    return {"linestyle": "", "marker": look["marker"], "color": look["color"], "markersize": 5}


def handles(models: Sequence[str], names: DisplayNames) -> dict[str, Line2D]:
    """For a legend: each model's mark by its name, with its tier where that is known."""
    return {name(model, names): Line2D([], [], **mark(index)) for index, model in enumerate(models)}


def name(model: str, names: DisplayNames) -> str:
    """A model's name with its tier, where that is known."""
    weights = tier(model)
    return names.of("model", model) + ("" if weights == "unknown" else f" ({weights})")
