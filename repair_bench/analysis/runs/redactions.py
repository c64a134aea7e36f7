"""Feedback with redacted text of a test, a reference or a hidden input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.metrics import Episode


@dataclass(frozen=True)
class Leaks:
    """Counts of all feedbacks, `redacted` ones and redacted `pieces`. `tasks`: sorted (task id, framework)."""

    feedbacks: int
    redacted: int
    pieces: int
    tasks: tuple[tuple[str, str], ...]


def leaks(episodes: Iterable[Episode]) -> Leaks:
    seen = [
        (a.task_id, a.framework, a.feedback.redacted)
        for episode in episodes
        for a in episode.attempts
        if a.feedback is not None
    ]
    lost = [pieces for *_, pieces in seen if pieces]
    tasks = {(task, framework) for task, framework, pieces in seen if pieces}
    return Leaks(len(seen), len(lost), sum(lost), tuple(sorted(tasks)))
