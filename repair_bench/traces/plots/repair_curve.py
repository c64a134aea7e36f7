"""FB@k over the number of repair attempts k, with 95% Wilson bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.traces import metrics
from repair_bench.traces.metrics import FB_NOTE, Curve
from repair_bench.traces.notices import repairs_of
from repair_bench.traces.plots import panels, style
from repair_bench.traces.records import Attempt
from repair_bench.traces.statistics import wilson


def figure(attempts: Sequence[Attempt], manifest: dict[str, Any]) -> Figure:
    """One line a model, or a framework where there is one model; one panel a framework where both differ."""
    paths = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    arranged = panels.arrange(paths)
    words = panels.words("Repair curve", paths, manifest, arranged, _notes(len(arranged), repairs))
    if not metrics.counted(paths, repairs):
        return style.blank(words, panels.nothing(paths, repairs))

    names = panels.labels(arranged)
    curves = [{name: metrics.curve(members, repairs) for name, members in p.series.items()} for p in arranged]
    legend = [_legend(name, [c[name].n if name in c else 0 for c in curves]) for name in names]
    body, axes = style.sheet(words, len(arranged), (3.4, 3.0), legend, sharex=True, sharey=True)
    for panel, found, ax in zip(arranged, curves, axes, strict=True):
        ax.set_title(style.shorten(panel.title))
        for index, name in enumerate(names):
            if name in found and found[name].n:
                shift = 0.0 if repairs else (index - (len(names) - 1) / 2) * 0.12
                _draw(ax, found[name], style.line(index), shift)
        _dress(ax, repairs)
    handles = [axes[0].plot([], [], **style.line(index))[0] for index in range(len(names))]
    xlabel = "repair attempts after the first answer, k"
    return style.finish(body, axes, handles, legend, xlabel=xlabel, ylabel="episodes solved (%)")


def _draw(ax: Any, curve: Curve, look: dict[str, Any], shift: float) -> None:
    ks = [k + shift for k in range(len(curve.solved))]
    rates = [100 * solved / curve.n for solved in curve.solved]
    bounds = [wilson(solved, curve.n) or (0.0, 1.0) for solved in curve.solved]
    low, high = ([100 * bound[side] for bound in bounds] for side in (0, 1))
    ax.plot(ks, rates, clip_on=False, zorder=3, markeredgecolor="white", markeredgewidth=0.6, **look)
    if len(ks) > 1:
        ax.fill_between(ks, low, high, color=look["color"], alpha=0.12, linewidth=0)
        for bound in (low, high):
            ax.plot(ks, bound, color=look["color"], linestyle=look["linestyle"], alpha=0.45, linewidth=0.6)
    else:  # a band needs two points
        ax.vlines(ks, low, high, color=look["color"], linewidth=1.5)


def _dress(ax: Any, repairs: int) -> None:
    ax.set_ylim(0, 100)
    ax.set_xlim((-0.15, repairs + 0.15) if repairs else (-0.8, 0.8))
    step = max(1, repairs // 10)
    ticks = range(0, repairs + 1, step)
    ax.set_xticks(ticks, ["0\nPass@1", *map(str, ticks[1:])])
    ax.grid(axis="y")


def _legend(name: str, ns: list[int]) -> str:
    counts = f"{ns[0]:,}" if len(set(ns)) == 1 else ", ".join(f"{n:,}" for n in ns)
    return f"{style.shorten(name)} (n = {counts})"


def _notes(shown: int, repairs: int) -> list[str]:
    n = "n: episodes counted" + (" in each panel (one number: the same in all)." if shown > 1 else ".")
    return [f"{'Bands' if repairs else 'Bars'}: 95% Wilson intervals. {n}", FB_NOTE]
