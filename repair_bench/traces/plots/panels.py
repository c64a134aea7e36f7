"""Which panels and series a figure has (nothing that differs is ever pooled), and the words around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from repair_bench.traces.metrics import Episode, counted, group
from repair_bench.traces.notices import SMALL, count, notices, repairs_of
from repair_bench.traces.plots.style import Words

_FIELDS = ("suite", "model", "condition")


@dataclass(frozen=True)
class Panel:
    """One set of axes. `series`: the episodes of each line or bar, by its label."""

    title: str
    """Empty for the only panel of a figure."""
    series: dict[str, list[Episode]]


def arrange(paths: Sequence[Episode]) -> list[Panel]:
    """One panel a framework with a series for each model (suite, condition) when both differ, else a single panel."""
    varied = [f for f in _FIELDS if len(group(paths, f)) > 1]
    frameworks = {name: members for (name,), members in group(paths, "framework").items()}
    if not paths:
        return []
    if not varied:
        return [Panel("", frameworks)]
    return [
        Panel(
            name if len(frameworks) > 1 else "",
            {" / ".join(map(str, key)): series for key, series in group(members, *varied).items()},
        )
        for name, members in frameworks.items()
    ]


def labels(panels: Sequence[Panel]) -> list[str]:
    """All series labels of a figure, sorted: a label's place decides its colour in every panel."""
    return sorted({label for panel in panels for label in panel.series})


def words(
    title: str, paths: Sequence[Episode], manifest: dict[str, Any], panels: Sequence[Panel], notes: Sequence[str]
) -> Words:
    """The words around a figure: suite and n in the title, what does not vary below it, then what must be said."""
    repairs = repairs_of((a for e in paths for a in e.attempts), manifest)
    suites = ", ".join(" ".join(key) for key in group(paths, "suite", "suite_version")) or "an empty run"
    facts = [value for f in ("model", "framework") if (value := _only(paths, f)) is not None]
    if (condition := _only(paths, "condition")) is not None:
        facts.append(f"condition {condition}")
    facts += [
        count(len(group(paths, "suite", "task_id")), "task"),
        f"up to {count(repairs, 'repair attempt')}" if repairs else "first answers only",
    ]
    said = notices(paths, manifest)
    ns = [len(counted(members, repairs)) for panel in panels for members in panel.series.values()]
    small = sum(n < SMALL for n in ns)
    if small and sum(ns):
        said.append(f"SMALL: {small} of {len(ns)} series stand on fewer than {SMALL} episodes, too few to compare.")
    n = f"(n = {count(sum(ns), 'episode')})".replace(" ", "\N{NO-BREAK SPACE}")
    return Words(f"{title}: {suites} {n}", ", ".join(facts) if paths else "", said, notes)


def nothing(paths: Sequence[Episode], repairs: int) -> str:
    """Why there is nothing to draw."""
    if not paths:
        return "No attempt is recorded yet."
    states = [e.state(repairs) for e in paths]
    faults, incomplete = states.count("fault"), states.count("incomplete")
    return f"No episode can be counted. Hit by an infrastructure fault: {faults:,}. Not finished: {incomplete:,}."


def _only(paths: Sequence[Episode], field: str) -> str | None:
    """The one value of a field, when there is one."""
    values = group(paths, field)
    return str(next(iter(values))[0]) if len(values) == 1 else None
