"""Which panels a figure has, and which series stand in each: nothing that differs is ever pooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from repair_bench.traces.metrics import Episode, group

_FIELDS = ("suite", "model", "condition")


@dataclass(frozen=True)
class Panel:
    """One set of axes. `series`: the episodes of each line or bar, by its label."""

    title: str
    series: dict[str, list[Episode]]


def arrange(paths: Sequence[Episode]) -> list[Panel]:
    """One panel a framework with a series for each model (suite, condition) when both differ, else a single panel."""
    varied = [f for f in _FIELDS if len(group(paths, f)) > 1]
    frameworks = {name: members for (name,), members in group(paths, "framework").items()}
    if not paths:
        return []
    if not varied:
        return [Panel(paths[0].first.model, frameworks)]
    return [
        Panel(name, {" / ".join(map(str, key)): series for key, series in group(members, *varied).items()})
        for name, members in frameworks.items()
    ]


def labels(panels: Sequence[Panel]) -> list[str]:
    """All series labels of a figure, sorted: a label's place decides its colour in every panel."""
    return sorted({label for panel in panels for label in panel.series})
