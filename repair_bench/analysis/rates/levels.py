"""The levels of tasks that hide a convention, told by their ids."""

from __future__ import annotations

from collections.abc import Iterable

from repair_bench.analysis.rates.metrics import Episode

CONTROL = "0"
"""The level at which the prompt leaves nothing open: the control of the others."""
_SUITE = "conventions"


def level(episode: Episode) -> str | None:
    """Return how many bits were left open, as the task's id has it; None for tasks of other suites."""
    first = episode.first
    return first.task_id.rpartition("-")[2] if first.suite.partition("?")[0] == _SUITE else None


def mixed(episodes: Iterable[Episode]) -> list[str]:
    """Return the suites whose episodes are of the control level and of others."""
    found: dict[str, set[str]] = {}
    for episode in episodes:
        if (bits := level(episode)) is not None:
            found.setdefault(episode.first.suite, set()).add(bits)
    return sorted(suite for suite, levels in found.items() if CONTROL in levels and len(levels) > 1)
