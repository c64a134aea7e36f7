"""The bits that are left of what a prompt leaves open, after each attempt and what was told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.analysis.information import Information, Observed, information, left_out
from repair_bench.analysis.notices import repairs_of
from repair_bench.report.plots import NothingToDraw, panels, style
from repair_bench.traces.manifest import Manifest

_NOTE = (
    "log2 of the hypotheses that what was told leaves open, on average over the tasks whose prompts leave something "
    "open; 0 from the attempt that passed on; bars: 95% intervals over problems. Best play: what the ideal observer "
    "has left, who knows all feedback. Blind: who tries one hypothesis after the other."
)


def figure(observed: Sequence[Observed], manifest: Manifest) -> Figure:
    """One panel a suite and condition, a line a model beside best play and blind enumeration."""
    open_ = [one for one in observed if one.bits > 0]
    repairs = repairs_of((a for one in open_ for a in one.episode.attempts), manifest)
    parts: dict[tuple[str, str], dict[str, list[Observed]]] = {}
    for one in open_:
        if one.episode.state(repairs) == "counted":
            first = one.episode.first
            parts.setdefault((first.suite, first.condition), {}).setdefault(first.model, []).append(one)
    arranged, warnings = panels.cut(sorted(parts.items()), panels.MOST_PANELS)
    series = [[one.episode for one in members] for _, models in arranged for members in models.values()]
    episodes = [one.episode for one in open_]
    warnings += left_out(open_, repairs)
    words = panels.words("What feedback leaves open", episodes, manifest.of_part(), series, [_NOTE], warnings)
    if not arranged:
        raise panels.nothing(episodes, repairs) if open_ else NothingToDraw("no task of the run hides a convention")
    names = sorted({model for _, models in arranged for model in models})
    legend = [*map(style.shorten, names), "best play", "blind"]
    body, axes = style.sheet(words, len(arranged), (3.2, 2.6), legend, sharex=True, sharey=True)
    several = len({suite for (suite, _), _ in arranged}) > 1
    for ax, ((suite, condition), models) in zip(axes, arranged, strict=True):
        ax.set_title(style.panel_title(f"{suite} / {condition}" if several else condition) if len(arranged) > 1 else "")
        every = information([one for members in models.values() for one in members], repairs)
        ks = range(repairs + 1)
        ax.plot(ks, every.best_bits, color=style.BLACK, linestyle="--", linewidth=1.2, clip_on=False)
        ax.plot(ks, every.enumeration_bits, color=style.GREY, linestyle=":", linewidth=1.4, clip_on=False)
        for number, name in enumerate(names):
            if name in models:
                _line(ax, information(models[name], repairs), number)
        ax.set_ylim(bottom=0)
        ax.set_xticks(list(ks))
        ax.grid(axis="y")
        ax.set_xlabel("attempt")
        ax.set_ylabel("bits left")
        ax.tick_params(labelbottom=True)
    handles = [axes[0].plot([], [], **style.line(number))[0] for number in range(len(names))]
    handles.append(axes[0].plot([], [], color=style.BLACK, linestyle="--", linewidth=1.2)[0])
    handles.append(axes[0].plot([], [], color=style.GREY, linestyle=":", linewidth=1.4)[0])
    return style.hang(body, handles, legend)


def _line(ax: Any, found: Information, number: int) -> None:
    ks, values, below, above = [], [], [], []
    for k, point in enumerate(found.bits):
        if point.estimate is not None:
            ks.append(k)
            values.append(point.estimate)
            below.append(0.0 if point.low is None else point.estimate - max(0.0, point.low))
            above.append(0.0 if point.high is None else point.high - point.estimate)
    look = style.line(number)
    ax.errorbar(ks, values, yerr=[below, above], capsize=2, elinewidth=0.8, clip_on=False, **look)
