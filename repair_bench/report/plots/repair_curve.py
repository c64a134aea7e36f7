"""FB@k as a function of the number of repairs k, with 95% bands; for off-policy attempts, bounds on FB@k are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.analysis.comparing.bounds import Bound, bounds
from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.curves import curve_intervals
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.rates.metrics import FB_NOTE, Episode
from repair_bench.analysis.runs.notices import interval_note, regraded, repairs_of
from repair_bench.report.plots import panels, style
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Draw one line per model, condition or framework, in the panels of `panels.arrange`."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    arranged, members, warnings = panels.arrange(episodes, manifest)
    shape = "Bands" if len(panels.labels(arranged)) <= panels.MAX_BANDS else "Error bars for the largest k"
    notes = _notes(members, shape if repairs else "Error bars", len(arranged), as_bounds=regraded(episodes, manifest))
    words = panels.words("Repair curve", episodes, manifest, members, notes, warnings)
    curves = {
        panel.title: {
            name: bounds(part, repairs) if regraded(episodes, manifest) else exact(curve_intervals(part, repairs))
            for name, part in panel.series.items()
        }
        for panel in arranged
    }
    if not any(curve[0].lower.n for by_name in curves.values() for curve in by_name.values()):
        raise panels.nothing(episodes, repairs)
    return draw_curves(words, curves, repairs)


def exact(curve: Sequence[Interval]) -> list[Bound]:
    """Convert each rate to a `Bound` with equal lower and upper bounds, so that `draw_curves` can draw the rate."""
    return [Bound(point, point, 0) for point in curve]


def draw_curves(words: style.Words, curves: Mapping[str, Mapping[str, Sequence[Bound]]], repairs: int) -> Figure:
    """Draw the curves of each panel. A curve may end before `repairs`, the end of the axis."""
    names = sorted({name for by_name in curves.values() for name in by_name})
    banded = len(names) <= panels.MAX_BANDS
    legend = [
        panels.legend(name, [by_name[name][0].lower.n for by_name in curves.values() if name in by_name])
        for name in names
    ]
    body, axes = style.sheet(words, len(curves), (3.4, 3.0), legend, sharex=True, sharey=True)
    for (title, by_name), ax in zip(curves.items(), axes, strict=True):
        ax.set_title(style.panel_title(title))
        for index, name in enumerate(names):
            if name in by_name and by_name[name][0].lower.n:
                shift = 0.0 if repairs else (index - (len(names) - 1) / 2) * 0.12
                _draw(ax, by_name[name], style.line(index), shift, banded=banded)
                if not banded and repairs:
                    _end(ax, by_name[name][-1], style.line(index), repairs + 0.12 * (index + 1))
        _dress(ax, repairs, 0.15 if banded else 0.12 * (len(names) + 1))
    handles = style.handles(axes[0], map(style.line, range(len(names))))
    xlabel = "repair rounds after the first answer, k"
    return style.finish(body, axes, handles, legend, xlabel=xlabel, ylabel="solve rate (%)")


def _draw(ax: Any, curve: Sequence[Bound], look: dict[str, Any], shift: float, *, banded: bool) -> None:
    """Draw a curve with its 95% band.

    If the lower and upper bounds of the rate differ, draw a line for each bound and hatch the area between the two
    lines. A single 95% band then covers the intervals of both lines.
    """
    lower, low, _ = style.percent(point.lower for point in curve)
    upper, _, high = style.percent(point.upper for point in curve)
    ks, same = [k + shift for k in range(len(curve))], all(point.lower is point.upper for point in curve)
    for rates in (lower,) if same else (lower, upper):
        ax.plot(ks, rates, clip_on=False, zorder=3, markeredgecolor="white", markeredgewidth=0.6, **look)
    if len(ks) == 1:  # a band needs two points
        ax.vlines(ks, low, high, color=look["color"], linewidth=1.5)
        return
    if not same:
        ax.fill_between(
            ks, lower, upper, facecolor="none", edgecolor=look["color"], hatch="////", linewidth=0, alpha=0.5
        )
    if banded:
        style.band(ax, ks, low, high, look)
        for end in (low, high) if same else ():
            ax.plot(ks, end, color=look["color"], linestyle=look["linestyle"], alpha=0.45, linewidth=0.6)


def _end(ax: Any, point: Bound, look: dict[str, Any], x: float) -> None:
    low, high = 100 * (point.lower.low or 0), 100 * (point.upper.high or 0)
    ax.vlines(x, low, high, color=look["color"], linestyle=look["linestyle"], linewidth=1.2)


def _dress(ax: Any, repairs: int, margin: float) -> None:
    ax.set_ylim(0, 100)
    ax.set_xlim((-0.15, repairs + margin) if repairs else (-0.8, 0.8))
    ticks = range(0, repairs + 1, max(1, repairs // 10))
    ax.set_xticks(ticks, ["0\nPass@1", *map(str, ticks[1:])])
    ax.grid(axis="y")


def _notes(series: Sequence[Sequence[Episode]], shape: str, shown: int, *, as_bounds: bool) -> list[str]:
    n = "n: number of episodes counted" + (" in each panel (a range if the panels differ)." if shown > 1 else ".")
    kind = interval_note(series)
    if as_bounds:
        between = "Two lines per series: lower and upper bound of FB@k, with hatching between the bounds."
        return [f"{between} {shape} at both bounds: {kind}. {n}", FB_NOTE]
    return [f"{shape}: {kind}. {n}", FB_NOTE]
