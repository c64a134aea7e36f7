"""Feedback with redacted text of a test, a reference or a hidden input."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from repair_bench.analysis.rates.metrics import Episode


def redactions(episodes: Iterable[Episode]) -> dict[str, Any]:
    """Return the numbers of `feedbacks`, of `redacted` ones and of redacted `pieces`, and the `tasks` of these."""
    seen = [
        (a.task_id, a.framework, a.feedback.redacted)
        for episode in episodes
        for a in episode.attempts
        if a.feedback is not None
    ]
    lost = [pieces for *_, pieces in seen if pieces]
    tasks = {(task, framework) for task, framework, pieces in seen if pieces}
    return {
        "feedbacks": len(seen),
        "redacted": len(lost),
        "pieces": sum(lost),
        "tasks": [{"task_id": task, "framework": framework} for task, framework in sorted(tasks)],
    }
