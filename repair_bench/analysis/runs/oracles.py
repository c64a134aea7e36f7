"""Agreement of published unit tests and the oracles that replace them (rule "semantic")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from repair_bench.analysis.rates.metrics import Episode


def both_verdicts(episodes: Iterable[Episode]) -> dict[str, Any]:
    """Return the numbers of answers by the verdicts of the published test and the oracle, each answer once.

    `fails_right`, `passes_wrong`: the test fails a correct answer, or passes an incorrect one. `disputed`: the tasks
    with such answers.
    """
    attempts = {a.id: a for episode in episodes for a in episode.attempts if a.verdict is not None}
    judged = {
        name: (attempt.task_id, attempt.verdict.published == "pass", attempt.passed)
        for name, attempt in attempts.items()
        if attempt.verdict is not None and attempt.verdict.published is not None
    }
    counts = Counter((published, right) for _, published, right in judged.values())
    return {
        "tasks": len({attempt.task_id for attempt in attempts.values()}),
        "with_oracle": len({task for task, _, _ in judged.values()}),
        "answers": len(judged),
        "both_pass": counts[True, True],
        "both_fail": counts[False, False],
        "fails_right": counts[False, True],
        "passes_wrong": counts[True, False],
        "disputed": sorted({task for task, published, right in judged.values() if published != right}),
    }
