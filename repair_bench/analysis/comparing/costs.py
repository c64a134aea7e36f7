"""Costs of attempts in tokens, calls and dollars. Unknown costs are None."""

from __future__ import annotations

import itertools
from typing import Literal

from repair_bench.analysis.rates.metrics import Episode
from repair_bench.traces.record.lazy_attempt import Recorded

Unit = Literal["calls", "tokens", "completion_tokens", "usd"]
"""The units: completions, input and output tokens, output tokens, US dollars."""


def spent(attempt: Recorded, unit: Unit) -> float | None:
    """Return the cost of one attempt; None if it is unknown. A prompt that exceeds the context window costs nothing."""
    completion = attempt.completion
    if completion is None:
        return 0.0 if attempt.verdict is not None and attempt.verdict.kind == "context" else None
    if unit == "calls":
        return 1
    if unit == "usd":
        return completion.cost_usd
    written = completion.tokens("completion_tokens")
    read = completion.tokens("prompt_tokens") if unit == "tokens" else 0
    return None if read is None or written is None else float(read + written)


def running(episode: Episode, unit: Unit, repairs: int) -> list[float] | None:
    """Return the cumulative cost after each known attempt, up to attempt `repairs`; None if a part is unknown."""
    costs = [spent(a, unit) for a in episode.known[: repairs + 1]]
    known = [cost for cost in costs if cost is not None]
    return list(itertools.accumulate(known)) if len(known) == len(costs) else None
