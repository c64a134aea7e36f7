"""How long episodes stay unsolved, and how likely each attempt is to solve one that still is: survival and hazard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from repair_bench.analysis import metrics
from repair_bench.analysis.notices import repairs_of
from repair_bench.analysis.survival import Risk, life_table
from repair_bench.report.plots import panels, style
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

_NOTE = (
    "Left: the share still unsolved after each attempt (Kaplan-Meier); bands, with up to 4 lines: Greenwood's 95% "
    "intervals, which take episodes as independent; +: episodes stopped there, by a budget, a kill or a regrade. "
    "Right: of the episodes that made an attempt, the share that it solved; marks on fewer than 10 episodes are "
    "hollow. n: episodes at the start."
)
_FEW = 10


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Two axes a panel, survival and hazard; panels and lines as in the repair curve."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    arranged, warnings = panels.cut(panels.arrange(episodes), panels.MOST_PANELS // 2)
    seen = [(p, {name: life_table(part, repairs) for name, part in p.series.items()}) for p in arranged]
    members = [part for panel in arranged for part in panel.series.values()]
    words = panels.words("How long tasks stay unsolved", episodes, manifest, members, [_NOTE], warnings)
    if not any(rows for _, tables in seen for rows in tables.values()):
        return style.blank(words, panels.nothing(episodes, repairs))
    names = panels.labels(arranged)
    ns = {name: [t[name][0].at_risk for _, t in seen if t.get(name)] for name in names}
    legend = [f"{style.shorten(n)} (n = {_span(ns[n])})" for n in names]
    body, axes = style.sheet(words, 2 * len(arranged), (3.4, 2.6), legend, most_columns=2, sharex=True, sharey="col")
    for index, (panel, tables) in enumerate(seen):
        left, right = axes[2 * index], axes[2 * index + 1]
        left.set_title(style.panel_title(panel.title) or "Still unsolved")
        right.set_title("" if panel.title else "Solved by the attempt")
        for number, name in enumerate(names):
            if tables.get(name):
                _survival(left, tables[name], style.line(number), banded=len(names) <= panels.MOST_BANDS)
                _hazard(right, tables[name], style.line(number))
        for ax, label in ((left, "still unsolved (%)"), (right, "solved by the attempt (%)")):
            ax.set_ylim(0, 100)
            ax.set_xlim(-0.2, repairs + 0.4)
            ax.set_xticks(range(0, repairs + 1, max(1, repairs // 10)))
            ax.grid(axis="y")
            ax.set_ylabel(label)
            ax.set_xlabel("attempt")
            ax.tick_params(labelbottom=True)
    handles = [axes[0].plot([], [], **style.line(number))[0] for number in range(len(names))]
    return style.hang(body, handles, legend)


def _survival(ax: Any, rows: Sequence[Risk], look: dict[str, Any], *, banded: bool) -> None:
    ks = [row.attempt for row in rows]
    shares = [100 * row.unsolved for row in rows]
    ax.plot(ks, shares, drawstyle="steps-post", clip_on=False, **{**look, "markersize": 4})
    low = [100 * (row.unsolved if row.low is None else row.low) for row in rows]
    high = [100 * (row.unsolved if row.high is None else row.high) for row in rows]
    if banded and len(ks) > 1:
        ax.fill_between(ks, low, high, step="post", color=look["color"], alpha=0.12, linewidth=0)
    # the last attempt ends every episode, so nothing is stopped there
    stopped = [row for row in rows[:-1] if row.censored]
    ax.plot([r.attempt for r in stopped], [100 * r.unsolved for r in stopped], "+", color=style.BLACK, zorder=4)


def _hazard(ax: Any, rows: Sequence[Risk], look: dict[str, Any]) -> None:
    ks, hazards = [row.attempt for row in rows], [100 * row.hazard for row in rows]
    ax.plot(ks, hazards, clip_on=False, **{**look, "marker": ""})
    for row, hazard in zip(rows, hazards, strict=True):
        hollow = "none" if row.at_risk < _FEW else "full"
        ax.plot(row.attempt, hazard, clip_on=False, fillstyle=hollow, **{**look, "linestyle": ""})


def _span(ns: Sequence[int]) -> str:
    if not ns:
        return "0"
    return f"{ns[0]:,}" if len(set(ns)) == 1 else f"{min(ns):,} to {max(ns):,}"
