"""Failures before and after feedback."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.analysis.taxonomy import ERROR_CLASSES
from repair_bench.report.plots import panels, style
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

_HEIGHT = 0.8  # height of a bar; a group consists of its name and two bars, one row each
_AXIS_END = 130  # end of an axis, in percent
_NOTE = (
    "before: the first answer; after: the last known attempt of the same episodes. Numbers: failed / counted episodes. "
    "100%: all counted episodes."
)


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Draw two stacked bars per series (before and after feedback), in the same panels as the repair curve."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    arranged, members, warnings = panels.arrange(episodes, manifest)
    words = panels.words("Errors before and after feedback", episodes, manifest, members, [_NOTE], warnings)
    if not metrics.counted(episodes, 0):
        raise panels.nothing(episodes, repairs)

    names = panels.labels(arranged)
    size = (style.panel_width(names, 3.4 if len(arranged) > 1 else 6.4), 0.9 + 0.75 * len(names))
    counts = [metrics.errors(members, repairs) for panel in arranged for members in panel.series.values()]
    kinds = [kind for kind in ERROR_CLASSES if any(one[kind] for pair in counts for one in pair)] or ERROR_CLASSES
    body, axes = style.sheet(words, len(arranged), size, kinds, sharex=True, sharey=True)
    for panel, ax in zip(arranged, axes, strict=True):
        ax.set_title(style.panel_title(panel.title))
        for row, name in enumerate(names):
            if name in panel.series:
                _draw(ax, 3 * row, name, panel.series[name], repairs)
        ax.set_yticks([3 * row + y for row in range(len(names)) for y in (1, 2)], ["before", "after"] * len(names))
        ax.set_ylim(3 * len(names) - 0.4, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(0, _AXIS_END)  # room for the numbers after a full bar
        ax.set_xticks(range(0, 101, 20))
        ax.spines["bottom"].set_bounds(0, 100)
        ax.grid(axis="x")
    handles = [Patch(**style.fill(ERROR_CLASSES.index(kind))) for kind in kinds]
    drawing = style.finish(body, axes, handles, kinds, xlabel="failed episodes (%)")
    for ax in axes:
        ax.xaxis.label.set_x(50 / _AXIS_END)  # centred below the scale
    return drawing


def _draw(ax: Any, y: int, name: str, members: Sequence[Episode], repairs: int) -> None:
    ax.text(0, y, f" {name}", va="center", weight="bold", in_layout=False)
    n = len(metrics.counted(members, 0))
    if not n:
        ax.text(0, y + 1, " no episode counted", va="center", color=style.GREY)
        return
    for bar, counts in enumerate(metrics.errors(members, repairs), start=y + 1):
        left = 0.0
        for index, kind in enumerate(ERROR_CLASSES):
            share = 100 * counts[kind] / n
            if share:
                ax.barh(bar, share, _HEIGHT, left=left, **style.fill(index))
            left += share
        failed = sum(counts[kind] for kind in ERROR_CLASSES)
        ax.annotate(f"{failed:,} / {n:,}", (left, bar), (4, 0), textcoords="offset points", va="center", size=8)
