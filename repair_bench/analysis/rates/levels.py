"""The levels of tasks that hide a convention, from their ids."""

from __future__ import annotations

from collections.abc import Iterable

from repair_bench.analysis.rates.metrics import Episode

CONTROL = "0"
"""The level without open decisions: the control of the others."""
_SUITE = "conventions"


def level(episode: Episode) -> str | None:
    """Return the number of open bits of a task of `conventions`, as text; None for other suites."""
    first = episode.first
    return first.task_id.rpartition("-")[2] if first.suite.partition("?")[0] == _SUITE else None


def mixed(episodes: Iterable[Episode]) -> list[str]:
    """Return the suites with episodes of the control level and of others."""
    found: dict[str, set[str]] = {}
    for episode in episodes:
        if (bits := level(episode)) is not None:
            found.setdefault(episode.first.suite, set()).add(bits)
    return sorted(suite for suite, levels in found.items() if CONTROL in levels and len(levels) > 1)
