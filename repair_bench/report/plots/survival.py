"""Survival (the share of episodes that are still unsolved) and hazard (the share of attempts that solve the task)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.survival import Risk, life_table
from repair_bench.analysis.runs.notices import SMALL, repairs_of
from repair_bench.report.plots import NothingToDraw, panels, style
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

_NOTE = (
    "Left: survival, the share of episodes unsolved after each attempt (Kaplan-Meier). Bands, shown for up to "
    f"{panels.MAX_BANDS} lines: 95% intervals clustered by problem. +: episodes censored by an infrastructure error, "
    "an interruption or a regrade. n: number of episodes at the start."
)
_HAZARD_NOTE = (
    "Right: hazard, the number of episodes that an attempt solves, divided by the number that reach it. Attempts "
    f"reached by fewer than {SMALL} episodes are not shown. Bars: 95% intervals clustered by problem."
)
_LAST = 0.4  # length of the last step, in attempts


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Plot the survival of unsolved episodes. If enough episodes were repaired, also plot the hazard of each attempt.
    Panels and line styles are those of the repair curve.
    """
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    arranged, members, warnings = panels.arrange(episodes, manifest, panels.MAX_PANELS // 2)
    seen = [(p, {name: life_table(part, repairs) for name, part in p.series.items()}) for p in arranged]
    every = [rows for _, tables in seen for rows in tables.values()]
    if not any(every):
        raise panels.nothing(episodes, repairs)
    if not repairs:
        raise NothingToDraw("This run contains no repairs. For the first answers, use the repair-curve plot.")
    with_hazard = any(row.attempt > 0 and row.at_risk >= SMALL for rows in every for row in rows)
    notes = [_NOTE, *([_HAZARD_NOTE] if with_hazard else [])]
    words = panels.words("Survival of unsolved episodes", episodes, manifest, members, notes, warnings)
    names = panels.labels(arranged)
    ns = {name: [t[name][0].at_risk for _, t in seen if t.get(name)] for name in names}
    legend = [panels.legend(name, ns[name]) for name in names]
    each = 1 + with_hazard
    size = (3.4 if each * len(arranged) > 1 else 6.4, 2.6)
    body, axes = style.sheet(words, each * len(arranged), size, legend, max_columns=2, sharex=True)
    for index, (panel, tables) in enumerate(seen):
        left, right = axes[each * index], axes[each * index + 1] if with_hazard else None
        left.set_title(style.panel_title(panel.title) or ("Still unsolved" if with_hazard else ""))
        _dress(left, repairs, "unsolved (%)")
        if right is not None:
            right.set_title("" if panel.title else "Solved by the attempt")
            _dress(right, repairs, "solved by the attempt (%)")
        for number, name in enumerate(names):
            if tables.get(name):
                _survival(left, tables[name], style.line(number), repairs, banded=len(names) <= panels.MAX_BANDS)
                if right is not None:
                    _hazard(right, tables[name], style.line(number), 0.06 * (number - (len(names) - 1) / 2))
    return style.hang(body, style.handles(axes[0], map(style.line, range(len(names)))), legend)


def _dress(ax: Any, repairs: int, label: str) -> None:
    ax.set_ylim(0, 100)
    ax.set_xlim(-0.3, repairs + _LAST)
    ax.set_xticks(range(0, repairs + 1, max(1, repairs // 10)))
    ax.grid(axis="y")
    ax.set_ylabel(label)
    ax.set_xlabel("attempt")
    ax.tick_params(labelbottom=True)


def _survival(ax: Any, rows: Sequence[Risk], look: dict[str, Any], repairs: int, *, banded: bool) -> None:
    ks = [row.attempt for row in rows]
    marks = {**look, "linestyle": "", "markersize": 4}
    ax.plot(ks, [_percent(row.unsolved.estimate) for row in rows], clip_on=False, **marks)
    # the last step also has a length; it extends to the end of the axis if no episode is left unsolved
    ends = [*ks, (repairs if rows[-1].unsolved.estimate == 0 else ks[-1]) + _LAST]
    stepped = [*rows, rows[-1]]
    steps = {"drawstyle": "steps-post", "clip_on": False, **look, "marker": ""}
    ax.plot(ends, [_percent(row.unsolved.estimate) for row in stepped], **steps)
    if banded:
        low = [_percent(row.unsolved.low) for row in stepped]
        high = [_percent(row.unsolved.high) for row in stepped]
        style.band(ax, ends, low, high, look, step="post")
    # the last attempt ends every episode, so none is censored there
    stopped = [row for row in rows[:-1] if row.censored]
    ax.plot(
        [r.attempt for r in stopped], [_percent(r.unsolved.estimate) for r in stopped], "+", color=style.BLACK, zorder=4
    )


def _hazard(ax: Any, rows: Sequence[Risk], look: dict[str, Any], shift: float) -> None:
    enough = [row for row in rows if row.at_risk >= SMALL]
    if not enough:
        return  # matplotlib would place the marks of an empty plot in the corner of the figure
    xs = [row.attempt + shift for row in enough]
    ax.plot(xs, [_percent(row.hazard.estimate) for row in enough], clip_on=False, **{**look, "markersize": 4})
    for x, row in zip(xs, enough, strict=True):
        ax.vlines(x, _percent(row.hazard.low), _percent(row.hazard.high), color=look["color"], linewidth=0.9)


def _percent(value: float | None) -> float:
    return math.nan if value is None else 100 * value
