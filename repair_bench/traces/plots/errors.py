"""What failed, by error class, before and after feedback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from repair_bench.traces import metrics
from repair_bench.traces.metrics import Episode
from repair_bench.traces.notices import repairs_of
from repair_bench.traces.plots import panels, style
from repair_bench.traces.records import Attempt
from repair_bench.traces.taxonomy import ERROR_CLASSES, EXCEPTION, LIMIT, NO_CODE, WRONG_ANSWER

LOOKS: dict[str, Any] = {
    WRONG_ANSWER: {"facecolor": style.SKY, "hatch": ""},
    EXCEPTION: {"facecolor": style.VERMILLION, "hatch": "////"},
    NO_CODE: {"facecolor": style.YELLOW, "hatch": "...."},
    LIMIT: {"facecolor": style.PURPLE, "hatch": "xxxx"},
}
_HEIGHT = 0.8  # of a bar; a group is a line for its name and two bars, each 1 high
_NOTE = (
    "before: the first answer; after: the last attempt of the same episodes. "
    "Numbers: episodes failed / counted; 100% is all that are counted."
)


def figure(attempts: Sequence[Attempt], manifest: dict[str, Any]) -> Figure:
    """Two stacked bars a model or framework, one before and one after; panels as in the repair curve."""
    paths = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    arranged = panels.arrange(paths)
    words = panels.words("Errors before and after feedback", paths, manifest, arranged, [_NOTE])
    if not metrics.counted(paths, repairs):
        return style.blank(words, panels.nothing(paths, repairs))

    names = panels.labels(arranged)
    size = (3.4 if len(arranged) > 1 else 6.4, 0.9 + 0.75 * len(names))
    body, axes = style.sheet(words, len(arranged), size, list(ERROR_CLASSES), sharex=True, sharey=True)
    for panel, ax in zip(arranged, axes, strict=True):
        ax.set_title(style.shorten(panel.title))
        for row, name in enumerate(names):
            shown = style.shorten(name, 60 if len(arranged) == 1 else 32)
            _draw(ax, 3 * row, shown, panel.series.get(name, []), repairs)
        ax.set_yticks([3 * row + y for row in range(len(names)) for y in (1, 2)], ["before", "after"] * len(names))
        ax.set_ylim(3 * len(names) - 0.4, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(0, 126)  # room for the numbers after a full bar
        ax.set_xticks(range(0, 101, 20))
        ax.spines["bottom"].set_bounds(0, 100)
        ax.grid(axis="x")
    handles = [Patch(edgecolor=style.BLACK, linewidth=0.6, **LOOKS[name]) for name in ERROR_CLASSES]
    return style.finish(body, axes, handles, ERROR_CLASSES, xlabel="failed episodes (%)")


def _draw(ax: Any, y: int, name: str, members: Sequence[Episode], repairs: int) -> None:
    ax.text(0, y, f" {name}", va="center", weight="bold", in_layout=False)
    n = len(metrics.counted(members, repairs))
    if not n:
        ax.text(0, y + 1, " no episode counted", va="center", color=style.GREY)
        return
    for offset, counts in enumerate(metrics.errors(members, repairs), start=1):
        _bar(ax, y + offset, counts, n)


def _bar(ax: Any, y: int, counts: Counter[str], n: int) -> None:
    left = 0.0
    for name in ERROR_CLASSES:
        share = 100 * counts[name] / n
        if share:
            ax.barh(y, share, _HEIGHT, left=left, edgecolor=style.BLACK, linewidth=0.6, **LOOKS[name])
        left += share
    failed = sum(counts[name] for name in ERROR_CLASSES)
    ax.annotate(f"{failed:,} / {n:,}", (left, y), (4, 0), textcoords="offset points", va="center", size=8)
