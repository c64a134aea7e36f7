"""Feedbacks from which text of a test, a reference or a hidden input was taken out, before a model read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.metrics import Episode


@dataclass(frozen=True)
class Leaks:
    """`feedbacks`: those that were looked at. `redacted`: those that lost something. `pieces`: what they lost in all.
    `tasks`: whose feedbacks they are, each once, as (task id, framework), in order.
    """

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
