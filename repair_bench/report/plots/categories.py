"""How hard each category and difficulty is: every model's rate, with first answers and with repairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repair_bench.analysis import metrics
from repair_bench.analysis.curves import rate
from repair_bench.analysis.metrics import FB_NOTE, Episode
from repair_bench.analysis.notices import interval_note, repairs_of
from repair_bench.analysis.open_weights import tier
from repair_bench.report.plots import panels, style
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

LOOKS: dict[str, dict[str, Any]] = {
    "frontier": {"marker": "o", "color": style.BLUE},
    "open": {"marker": "s", "color": style.ORANGE},
    "unknown": {"marker": "^", "color": style.GREY},
}
MARK_NAMES = {"unknown": "tier unknown", "mean": "mean of the models"}
_MEAN = {"marker": "D", "color": style.BLACK, "markersize": 5}
_FIELDS = {"category": "by category", "difficulty": "by difficulty"}
_ORDER = ("introductory", "basic", "easy", "intermediate", "medium", "advanced", "difficult", "hard")


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """A dot a model (and condition), frameworks pooled; rows are categories, then difficulties."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    series = panels.single(episodes, pooled=["framework", "suite"])
    known = {name: metrics.counted(members, repairs) for name, members in series.items()}
    known = {name: members for name, members in known.items() if members}
    alone = len(known) == 1
    lines = f"Lines: {interval_note(series.values())}." if alone else "Diamonds: the mean of the models' rates."
    notes = [f"Frontier and open: by the model's name; a name that is not known stays unknown. {lines}", FB_NOTE]
    warnings = [] if _stated(episodes, "difficulty") else ["NO DIFFICULTY: no task of this run states one."]
    words = panels.words("Categories and difficulty", episodes, manifest, list(series.values()), notes, warnings)
    if not known:
        return style.blank(words, panels.nothing(episodes, repairs))

    fields = [name for name in _FIELDS if name == "category" or _stated(episodes, name)]
    ks = dict.fromkeys((0, repairs))
    tier_of = {name: tier(members[0].first.model) for name, members in known.items()}
    shown = [name for name in LOOKS if name in tier_of.values()]
    marks = [*shown, *([] if alone else ["mean"])]
    legend = [MARK_NAMES.get(name, name) for name in marks]
    rows = {name: _rows(known, name) for name in fields}
    heights = [0.22 * len(rows[name]) + 0.75 for name in fields]
    size = (4.6 if len(ks) > 1 else 6.4, sum(heights) / len(heights))
    ratios = {"height_ratios": heights}
    body, axes = style.sheet(
        words, len(fields) * len(ks), size, legend, most_columns=len(ks), sharex=True, sharey="row", gridspec_kw=ratios
    )
    for index, ax in enumerate(axes):
        field, k = fields[index // len(ks)], list(ks)[index % len(ks)]
        ax.set_title(f"{'Pass@1' if k == 0 else f'FB@{k}'} {_FIELDS[field]}")
        _draw(ax, known, tier_of, field, k, rows[field], alone=alone)
    handles = [Line2D([], [], linestyle="", **(_MEAN if name == "mean" else LOOKS[name])) for name in marks]
    return style.finish(body, axes, handles, legend, xlabel="episodes solved (%)")


def _draw(
    ax: Any,
    known: Mapping[str, list[Episode]],
    tier_of: Mapping[str, str],
    field: str,
    k: int,
    rows: Sequence[str],
    *,
    alone: bool,
) -> None:
    for y, value in enumerate(rows):
        rates = []
        for name, members in known.items():
            interval = rate([e for e in members if getattr(e.first, field) == value], k)
            if interval.estimate is None or interval.low is None or interval.high is None:
                continue
            rates.append(100 * interval.estimate)
            look = LOOKS[tier_of[name]]
            if alone:
                ax.plot([100 * interval.low, 100 * interval.high], [y, y], color=look["color"], linewidth=1.2)
            ax.plot(rates[-1], y, linestyle="", clip_on=False, alpha=1 if alone else 0.75, **look)
        if not alone and rates:
            ax.plot(sum(rates) / len(rates), y, linestyle="", clip_on=False, zorder=4, **_MEAN)
    sizes = {value: _size(known, field, value) for value in rows}
    ax.set_yticks(range(len(rows)), [f"{style.shorten(v, 28)} ({sizes[v]})" for v in rows], size=8)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(-2, 102)
    ax.set_xticks(range(0, 101, 20))
    ax.grid()


def _rows(known: Mapping[str, list[Episode]], field: str) -> list[str]:
    """Difficulties in their order; categories by the mean of their first answers, the easiest on top."""
    values = {getattr(e.first, field) for members in known.values() for e in members} - {None}
    every = [e for members in known.values() for e in members]
    if field == "difficulty":
        return sorted(values, key=lambda v: (_ORDER.index(v) if v in _ORDER else len(_ORDER), v))
    means = {v: rate([e for e in every if e.first.category == v], 0).estimate or 0.0 for v in values}
    return sorted(values, key=lambda v: (-means[v], v))


def _size(known: Mapping[str, list[Episode]], field: str, value: str) -> str:
    tasks = {
        (e.first.suite, e.first.task_id)
        for members in known.values()
        for e in members
        if getattr(e.first, field) == value
    }
    return f"{len(tasks):,}"


def _stated(episodes: Sequence[Episode], field: str) -> bool:
    return any(getattr(e.first, field) is not None for e in episodes)
