"""Results and costs of a run with adaptive stopping."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.curves import rate
from repair_bench.analysis.rates.metrics import Episode, Total, group
from repair_bench.traces.record.lazy_attempt import task_key


def stopping(controls: Sequence[Episode], stoppable: Sequence[Episode], repairs: int) -> list[dict[str, Any]]:
    """Return one row per model, suite and condition, or an empty list for a run without adaptive stopping.

    `tasks`: the number of task-framework pairs. `solved`: the number of task-framework pairs that at least one episode
    solved. `stopped`: the number of unsolved episodes that ended before the last possible repair. `controls`: FB@N of
    the episodes that are exempt from adaptive stopping. `flattered`: FB@N over all first samples, as if adaptive
    stopping were non-informative censoring. `tokens`, `usd`: totals.
    """
    if not stoppable:
        return []
    found = []
    for (model, suite, condition), members in group(chain(controls, stoppable), "model", "suite", "condition").items():
        answers = metrics.completions(attempt for episode in members for attempt in episode.attempts)
        read, written = (metrics.tokens(answers, kind) for kind in ("prompt_tokens", "completion_tokens"))
        ended = [e for e in members if e.first.stoppable and e.state(repairs) == "incomplete"]
        found.append(
            {
                "model": model,
                "suite": suite,
                "condition": condition,
                "tasks": len({task_key(e.first) for e in members}),
                "solved": len({task_key(e.first) for e in members if e.solved_at is not None}),
                "episodes": len(members),
                "stopped": len(ended),
                "tokens": Total(read.known + written.known, max(read.unknown, written.unknown)),
                "usd": metrics.cost(answers),
                "controls": rate([e for e in members if not e.first.stoppable], repairs),
                "flattered": rate([e for e in members if e.first.sample == 0], repairs),
            }
        )
    return found
