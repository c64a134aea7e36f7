"""Costs of attempts in tokens, calls and dollars. Unknown costs are None."""

from __future__ import annotations

import itertools
import math
from typing import Literal

from repair_bench.analysis.rates.metrics import Episode, reply
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.records import Completion

Unit = Literal["calls", "tokens", "completion_tokens", "usd"]
"""Units of cost: completions, all tokens (input and output), output tokens, US dollars."""


def spent(attempt: Recorded, unit: Unit) -> float | None:
    """Return the cost of one attempt, including the critic's reply before the attempt; None if the cost is unknown.

    A prompt that exceeds the context window costs nothing. The cost of decoding probes is not included, because probes
    are measurements.
    """
    full = attempt.verdict is not None and attempt.verdict.kind == "context"
    if attempt.completion is None and not full:
        return None
    replies = [made for role in ("solver", "critic") if (made := reply(attempt, role)) is not None]
    costs = [_cost(completion, unit) for completion in replies]
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if len(known) == len(costs) else None


def _cost(completion: Completion, unit: Unit) -> float | None:
    if unit == "calls":
        return 1
    if unit == "usd":
        return completion.cost_usd
    written = completion.tokens("completion_tokens")
    read = completion.tokens("prompt_tokens") if unit == "tokens" else 0
    return None if read is None or written is None else float(read + written)


def running(episode: Episode, unit: Unit, repairs: int) -> list[float] | None:
    """Return the cumulative cost after each attempt with a known verdict (`Episode.known`), up to attempt `repairs`.

    The result is None if the cost of any of these attempts is unknown.
    """
    costs = [spent(a, unit) for a in episode.known[: repairs + 1]]
    known = [cost for cost in costs if cost is not None]
    return list(itertools.accumulate(known)) if len(known) == len(costs) else None
