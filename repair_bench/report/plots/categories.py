"""How hard each category and difficulty is for each model: its rate with first answers and with repairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repair_bench.analysis import metrics
from repair_bench.analysis.curves import rate
from repair_bench.analysis.metrics import FB_NOTE, Episode
from repair_bench.analysis.notices import interval_note, repairs_of
from repair_bench.report.plots import NothingToDraw, dots, panels, style
from repair_bench.traces.manifest import Manifest
from repair_bench.traces.row import Recorded

_FIELDS = ("category", "difficulty")
_ORDER = ("introductory", "basic", "easy", "intermediate", "medium", "advanced", "difficult", "hard")


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """One panel a condition, frameworks pooled; rows are categories, then difficulties, with a mark a model in each."""
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    known = metrics.counted(episodes, 0)
    if not known:
        raise panels.nothing(episodes, repairs)
    values = {field: _values(known, field) for field in _FIELDS}
    rows = [(field, value) for field in _FIELDS if len(values[field]) > 1 for value in values[field]]
    if not rows:
        raise NothingToDraw("the tasks are all of one category and one difficulty, or state none")

    models, too_many = panels.cut([model for (model,) in metrics.group(known, "model")], panels.MOST_SERIES, "models")
    conditions, warnings = panels.cut(list(metrics.group(known, "condition").items()), panels.MOST_PANELS)
    names = panels.names(episodes, manifest)
    warnings += panels.pooled(known, names)
    series = [part for _, members in conditions for part in metrics.group(members, "model").values()]
    last = f"FB@{repairs}" if repairs else "Pass@1"
    notes = [
        f"Frameworks pooled; ( ): tasks. Lines: {last}, {interval_note(series)}.",
        *(f"No task states more than one {field}." for field in _FIELDS if len(values[field]) < 2),
        *([FB_NOTE] if repairs else []),
    ]
    words = panels.words("Categories and difficulty", episodes, manifest, series, notes, [*too_many, *warnings])
    handles = dots.handles(models, names)
    if repairs:
        look: dict[str, Any] = {"linestyle": "", "marker": "o", "color": style.GREY, "markersize": 5}
        handles["hollow: Pass@1"] = Line2D([], [], **look, markerfacecolor=style.PAPER)
        handles[f"filled: {last}"] = Line2D([], [], **look)
    # half a row between the two fields
    places = {of: place + (of[0] != rows[0][0]) / 2 for place, of in enumerate(rows)}
    wide = 3.4 if len(conditions) > 1 else 6.4
    size = (wide, dots.height(len(models)) * (len(rows) + 0.5) + 0.7)
    body, axes = style.sheet(words, len(conditions), size, list(handles), sharex=True, sharey=True)
    for ((condition,), members), ax in zip(conditions, axes, strict=True):
        ax.set_title(style.panel_title(names.of("condition", condition)) if len(conditions) > 1 else "")
        for (field, value), place in places.items():
            here = [e for e in members if getattr(e.first, field) == value]
            by_model = {str(model): part for (model,), part in metrics.group(here, "model").items()}
            dots.row(ax, place, {model: _dot(part, repairs) for model, part in by_model.items()}, models)
        dots.scale(ax, {place: _label(known, *of) for of, place in places.items()})
    return style.finish(body, axes, list(handles.values()), list(handles), xlabel="episodes solved (%)")


def _dot(members: Sequence[Episode], repairs: int) -> dots.Dot:
    return dots.Dot(rate(members, repairs), rate(members, 0) if repairs else None)


def _values(known: Sequence[Episode], field: str) -> list[str]:
    """Difficulties in their order; categories by the rate of all first answers, the easiest on top."""
    of = {str(value): members for (value,), members in metrics.group(known, field).items() if value is not None}
    if field == "difficulty":
        return sorted(of, key=lambda v: (_ORDER.index(v) if v in _ORDER else len(_ORDER), v))
    return sorted(of, key=lambda v: (-(rate(of[v], 0).estimate or 0.0), v))


def _label(known: Sequence[Episode], field: str, value: str) -> str:
    tasks = {(e.first.suite, e.first.task_id) for e in known if getattr(e.first, field) == value}
    return f"{value.replace('_', ' ')} ({len(tasks):,})"
