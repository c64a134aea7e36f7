"""Horizontal bars with 95% intervals, in groups under a name: what several figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from repair_bench.analysis.intervals import Interval
from repair_bench.report.plots import style
from repair_bench.report.table import Rate

MOST_GROUPS = 40
_ROOM = 136  # percent that an axis is wide


@dataclass(frozen=True)
class Group:
    """The bars under one name. `bars`: a rate in 0..1 by the kind of bar; None for none. `note`: beside the name."""

    bars: Mapping[str, Interval | None]
    note: str = ""


def draw(words: style.Words, panels: Mapping[str, Mapping[str, Group]], kinds: Sequence[str], *, xlabel: str) -> Figure:
    """One panel a key of `panels`, a group of bars for each name in it, one fill for each of `kinds`.

    A name without a group in some panel leaves its place there empty.
    """
    names = list(dict.fromkeys(name for groups in panels.values() for name in groups))
    each = len(kinds) + 1  # a line for the name, and one a bar
    size = (style.room(names, 3.4 if len(panels) > 1 else 6.4), 0.9 + 0.2 * each * len(names))
    body, axes = style.sheet(words, len(panels), size, kinds, sharex=True, sharey=True)
    for (title, groups), ax in zip(panels.items(), axes, strict=True):
        ax.set_title(style.panel_title(title))
        for row, name in enumerate(names):
            if name in groups:
                _group(ax, each * row, name, groups[name], kinds)
        ax.set_yticks([])
        ax.set_ylim(each * len(names) - 0.4, -0.5)
        ax.set_xlim(0, _ROOM)  # room for the numbers after a full bar and its interval
        ax.set_xticks(range(0, 101, 20))
        ax.spines["bottom"].set_bounds(0, 100)
        ax.grid(axis="x")
    handles = [Patch(**style.fill(index)) for index in range(len(kinds))]
    drawn = style.finish(body, axes, handles, kinds, xlabel=xlabel)
    for ax in axes:
        ax.xaxis.label.set_x(50 / _ROOM)  # below the scale, not below the numbers beside it
    return drawn


def _group(ax: Any, y: int, name: str, group: Group, kinds: Sequence[str]) -> None:
    ax.text(0, y, f" {name}", va="center", weight="bold", in_layout=False)
    if group.note:
        ax.text(_ROOM, y, group.note, va="center", ha="right", size=8, in_layout=False)
    for index, kind in enumerate(kinds):
        rate, at = group.bars.get(kind), y + 1 + index
        if rate is None or rate.estimate is None or rate.low is None or rate.high is None:
            ax.text(0, at, " none", va="center", color=style.GREY, size=8)
            continue
        low, middle, high = (100 * x for x in (rate.low, rate.estimate, rate.high))
        ax.barh(at, middle, 0.8, **style.fill(index))
        ax.plot([low, high], [at, at], color="white", linewidth=2.6, solid_capstyle="butt")
        ax.plot([low, high], [at, at], color=style.BLACK, linewidth=1.1, marker="|", markersize=4)
        ax.annotate(
            Rate(rate.estimate).figure, (max(high, middle), at), (5, 0), textcoords="offset points", va="center", size=8
        )
