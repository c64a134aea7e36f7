"""Repair curves on tasks that leave a convention unspecified, with the curves of reference policies."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.analysis.feedback_use.use import Information, Observed, information, left_out
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.report.plots import NothingToDraw, panels, style
from repair_bench.traces.run.manifest import Manifest

_NOTE = (
    "Thick lines: the adjusted curve, averaged over all possible true hypotheses. Thin lines: the unadjusted curve, "
    "with 95% intervals clustered by problem. optimal: the ideal observer. consistent: a policy that tries any "
    "hypothesis that feedback has not excluded. blind: exhaustive search without feedback. Utilisation: the "
    "area between the adjusted and blind curves, divided by the area between optimal and blind (use)."
)
_MAX_NUMBERS = 3
"""The maximum number of models for which the panels show the utilisation as a number."""
_ABOVE = 3  # a model that plays like a reference policy must not hide its line
_POLICIES: dict[str, dict[str, Any]] = {
    "optimal": {"color": style.BLACK, "linestyle": "--", "linewidth": 1.2, "zorder": _ABOVE},
    "consistent": {"color": style.GREY, "linestyle": "-.", "linewidth": 1.2, "zorder": _ABOVE},
    "blind": {"color": style.GREY, "linestyle": ":", "linewidth": 1.4, "zorder": _ABOVE},
}


def figure(observed: Sequence[Observed], manifest: Manifest) -> Figure:
    """Draw one panel per suite, condition and level, with two lines per model and one line per reference policy.

    Two or three levels are the columns of the figure.
    """
    open_ = [one for one in observed if one.bits > 0]
    repairs = repairs_of((a for one in open_ for a in one.episode.attempts), manifest)
    parts: dict[tuple[str, str, int], dict[str, list[Observed]]] = {}
    for one in open_:
        if one.episode.state(repairs) == "counted":
            first = one.episode.first
            parts.setdefault((first.suite, first.condition, one.bits), {}).setdefault(first.model, []).append(one)
    arranged, warnings = panels.cut(sorted(parts.items()), panels.MAX_PANELS)
    series = [[one.episode for one in members] for _, models in arranged for members in models.values()]
    episodes = [one.episode for one in open_]
    warnings += left_out(open_, repairs)
    words = panels.words("Feedback utilisation", episodes, manifest.of_part(), series, [_NOTE], warnings)
    if not arranged:
        raise (
            panels.nothing(episodes, repairs) if open_ else NothingToDraw("No task in the run has a hidden convention.")
        )
    names = sorted({model for _, models in arranged for model in models})
    short = panels.names(episodes, manifest)
    legend = [*(short.of("model", name) for name in names), *_POLICIES]
    levels, suites = {bits for (_, _, bits), _ in arranged}, {suite for (suite, _, _), _ in arranged}
    columns = len(levels) if 1 < len(levels) <= 3 else 3
    body, axes = style.sheet(words, len(arranged), (3.2, 2.1), legend, max_columns=columns, sharex=True, sharey=True)
    ks = range(repairs + 1)
    for ax, ((suite, condition, bits), models) in zip(axes, arranged, strict=True):
        title = [short.of("suite", suite)] if len(suites) > 1 else []
        title += [short.of("condition", condition), *([f"bits={bits}"] if len(levels) > 1 else [])]
        ax.set_title(style.panel_title(" / ".join(title)) if len(arranged) > 1 else "")
        every = information([one for members in models.values() for one in members], repairs)
        for name, curve in (("optimal", every.best), ("consistent", every.consistent), ("blind", every.enumeration)):
            if curve is not None:
                ax.plot(ks, [100 * point for point in curve], clip_on=False, **_POLICIES[name])
        for number, name in enumerate(names):
            if name in models:
                found = information(models[name], repairs)
                _lines(ax, found, number)
                if found.use.estimate is not None and len(names) <= _MAX_NUMBERS:
                    place, look = (0.98, 0.04 + 0.11 * number), {"color": style.line(number)["color"], "size": 8}
                    ax.text(*place, f"use {found.use.estimate:.2f}", ha="right", transform=ax.transAxes, **look)
        ax.set_ylim(0, 100)
        ax.set_xticks(list(ks))
        ax.grid(axis="y")
        ax.set_xlabel("repair rounds, k")
        ax.set_ylabel("solve rate (%)")
        ax.tick_params(labelbottom=True)
        if len(arranged) % columns == 0:
            ax.label_outer()
    looks = [*map(style.line, range(len(names))), *_POLICIES.values()]
    return style.hang(body, style.handles(axes[0], looks), legend)


def _lines(ax: Any, found: Information, number: int) -> None:
    look = style.line(number)
    known = {k: point for k, point in enumerate(found.fb) if point.estimate is not None}
    rates, lows, highs = style.percent(known.values())
    bars = [map(operator.sub, rates, lows), map(operator.sub, highs, rates)]
    thin = {**look, "linewidth": 0.6, "marker": "", "alpha": 0.6}
    ax.errorbar(
        list(known), rates, yerr=[list(side) for side in bars], capsize=2, elinewidth=0.6, clip_on=False, **thin
    )
    ax.plot(range(len(found.adjusted)), [100 * point for point in found.adjusted], clip_on=False, **look)
