"""What becomes of failures from one attempt to the next: a flow of episodes between error classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from repair_bench.analysis import metrics
from repair_bench.analysis.metrics import Episode
from repair_bench.analysis.notices import repairs_of
from repair_bench.analysis.taxonomy import ERROR_CLASSES, PASS, error_class
from repair_bench.report.plots import panels, style
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

NAMES = (PASS, *ERROR_CLASSES)
_FILLS: dict[str, dict[str, Any]] = {
    PASS: {"facecolor": style.GREEN, "hatch": ""},
    **{name: style.FILLS[index] for index, name in enumerate(ERROR_CLASSES)},
}
_WIDTH = 0.22  # of a column, the next one being 1 away
_MOST_PANELS = 18
_NOTE = (
    "Columns: how the episodes stand after each attempt, those that were not cut short; ribbons: the same episodes one "
    "attempt later. "
    "A solved episode stays solved. Height: share of them."
)


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """One alluvial diagram a model, condition and framework."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    series, warnings = panels.cut(list(panels.single(episodes).items()), _MOST_PANELS)
    notes = [_NOTE] if repairs else [_NOTE, "This run makes no repairs: there is one column and no flow."]
    words = panels.words("What failures turn into", episodes, manifest, [part for _, part in series], notes, warnings)
    if not metrics.counted(episodes, repairs):
        raise panels.nothing(episodes, repairs)
    size = (3.4 if len(series) > 1 else 6.4, 2.7 if len(series) > 1 else 3.2)
    body, axes = style.sheet(words, len(series), size, NAMES, sharex=True, sharey=True)
    for (title, members), ax in zip(series, axes, strict=True):
        ax.set_title(style.panel_title(title))
        _draw(ax, members, repairs)
    handles = [Patch(edgecolor=style.BLACK, linewidth=0.6, **_FILLS[name]) for name in NAMES]
    return style.finish(body, axes, handles, NAMES, xlabel="attempt", ylabel="episodes (%)")


def states(members: Sequence[Episode], repairs: int) -> list[list[str]]:
    """For each episode that was not cut short its class after attempt 0..`repairs`; a pass stays."""
    sequences = []
    for episode in metrics.counted(members, repairs):
        named = [error_class(a.verdict) for a in episode.attempts[: repairs + 1] if a.verdict is not None]
        if PASS in named:
            named = named[: named.index(PASS) + 1]
        sequences.append([*named, *[PASS] * (repairs + 1 - len(named))])
    return sequences


def _draw(ax: Any, members: Sequence[Episode], repairs: int) -> None:
    rows = states(members, repairs)
    ax.set_xlim(-0.35, repairs + 0.35)
    ax.set_ylim(0, 100)
    ax.set_xticks(range(0, repairs + 1, max(1, repairs // 10)))
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(length=0)
    if not rows:
        ax.text(0.5, 0.5, "no episode counted", ha="center", transform=ax.transAxes, color=style.GREY)
        return
    scale = 100 / len(rows)
    for attempt in range(repairs + 1):
        counts = Counter(row[attempt] for row in rows)
        bottoms = _stack(counts, scale)
        for name in NAMES:
            if counts[name]:
                look = {"edgecolor": style.BLACK, "linewidth": 0.6, **_FILLS[name]}
                ax.bar(attempt, counts[name] * scale, _WIDTH, bottom=bottoms[name], **look)
        if attempt < repairs:
            _ribbons(ax, attempt, Counter((row[attempt], row[attempt + 1]) for row in rows), scale)


def _ribbons(ax: Any, attempt: int, flows: Counter[tuple[str, str]], scale: float) -> None:
    leaving: Counter[str] = Counter()
    arriving: Counter[str] = Counter()
    for (old, new), count in flows.items():
        leaving[old] += count
        arriving[new] += count
    out, into = _stack(leaving, scale), _stack(arriving, scale)
    x = np.linspace(attempt + _WIDTH / 2, attempt + 1 - _WIDTH / 2, 24)
    ease = 0.5 - 0.5 * np.cos(np.pi * np.linspace(0, 1, 24))
    shapes, colours = [], []
    for old in NAMES:
        for new in NAMES:
            height = flows[old, new] * scale
            if height:
                low = out[old] + (into[new] - out[old]) * ease
                shapes.append(np.column_stack([np.r_[x, x[::-1]], np.r_[low, low[::-1] + height]]))
                colours.append((_FILLS[old]["facecolor"], 0.2 if old == PASS else 0.4))
                out[old] += height
                into[new] += height
    ax.add_collection(PolyCollection(shapes, facecolors=colours, edgecolors=style.GREY, linewidths=0.3))


def _stack(counts: Counter[str], scale: float) -> dict[str, float]:
    """Where each class begins: passes at the bottom."""
    bottoms, at = {}, 0.0
    for name in NAMES:
        bottoms[name] = at
        at += counts[name] * scale
    return bottoms
