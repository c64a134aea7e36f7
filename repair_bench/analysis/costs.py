"""What attempts cost: tokens, calls and dollars, and what they bought. Unknown stays None."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from repair_bench.analysis import metrics
from repair_bench.analysis.metrics import Episode, Total, counted
from repair_bench.traces.row import Recorded

Unit = Literal["calls", "tokens", "completion_tokens", "usd"]
"""What is spent: completions, tokens read and written, tokens written, US dollars."""


def spent(attempt: Recorded, unit: Unit) -> float | None:
    """What one attempt cost; None when its provider does not say, or there is no completion.

    A prompt that was refused because it fills the context window costs nothing.
    """
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
    """The spend of an episode up to and with each known attempt, at most attempt `repairs`; None when a part of it is
    unknown.
    """
    costs = [spent(a, unit) for a in episode.known[: repairs + 1]]
    known = [cost for cost in costs if cost is not None]
    return list(itertools.accumulate(known)) if len(known) == len(costs) else None


@dataclass(frozen=True)
class Bought:
    """What the known attempts of episodes cost together, and how many of them were solved.

    A completion shared by arms counts once.
    """

    episodes: int
    solved: int
    tokens: Total
    usd: Total

    @property
    def solved_per_million_tokens(self) -> float | None:
        """Solved episodes per million tokens; None when the tokens are not all known, or there are none."""
        return _ratio(1e6 * self.solved, self.tokens)

    @property
    def solved_per_dollar(self) -> float | None:
        """Solved episodes per dollar; None when the cost is not wholly known, or it is nothing."""
        return _ratio(self.solved, self.usd)


def bought(episodes: Iterable[Episode], repairs: int) -> Bought:
    """Solved episodes, tokens (prompt and completion) and dollars of known attempts, up to attempt `repairs`."""
    members = counted(episodes, 0)
    answers = metrics.completions(a for e in members for a in e.known[: repairs + 1])
    read, written = (metrics.tokens(answers, kind) for kind in ("prompt_tokens", "completion_tokens"))
    tokens = Total(read.known + written.known, max(read.unknown, written.unknown))
    solved = sum(e.solved_at is not None and e.solved_at <= repairs for e in members)
    return Bought(len(members), solved, tokens, metrics.cost(answers))


def _ratio(gain: float, total: Total) -> float | None:
    return gain / total.value if total.value else None
