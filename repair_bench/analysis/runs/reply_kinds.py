"""Count the kinds and finish reasons of replies, and list the parameters that were not sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from repair_bench.analysis.rates.metrics import Episode
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.records import Completion

CUT = ("cut", "cut_in_reasoning")
"""The kinds of truncated replies."""
FULL = "context"
"""The value of `Ending.reply` if there is no reply because the conversation fills the context window."""
_BY_REASON = {"length": "cut", "content_filter": "filtered", "refusal": "refusal", "tool_calls": "tool_calls"}


@dataclass(frozen=True)
class Ending:
    """The number of answers that have a given kind of reply and a given finish reason, and the number of these answers
    that passed.

    `reply` and `finish_reason` are None if unknown.
    """

    reply: str | None
    finish_reason: str | None
    answers: int
    passed: int


def kind_of(completion: Completion) -> str | None:
    """Return the kind of a reply. If the kind is not recorded, it is derived from the finish reason."""
    return completion.reply or _BY_REASON.get(completion.finish_reason or "")


def endings(episodes: Iterable[Episode]) -> list[Ending]:
    """Return the kinds of replies, the most frequent kind first; empty if no kind is known.

    A shared answer counts once.
    """
    seen: Counter[tuple[str | None, str | None]] = Counter()
    passed: Counter[tuple[str | None, str | None]] = Counter()
    for attempt in {a.id: a for episode in episodes for a in episode.attempts}.values():
        ending: tuple[str | None, str | None]
        if attempt.verdict is not None and attempt.verdict.kind == "context":
            ending = FULL, None
        elif attempt.completion is not None:
            ending = kind_of(attempt.completion), attempt.completion.finish_reason
        else:
            continue
        seen[ending] += 1
        passed[ending] += attempt.passed
    if not any(reply or reason for reply, reason in seen):
        return []
    return [Ending(*ending, answers, passed[ending]) for ending, answers in seen.most_common()]


def dropped(attempts: Iterable[Recorded]) -> dict[str, list[str]]:
    """Return, by model, the parameters that were not sent because the model rejects them."""
    found: dict[str, set[str]] = {}
    for attempt in attempts:
        if attempt.completion is not None and attempt.completion.dropped:
            found.setdefault(attempt.writer or attempt.model, set()).update(attempt.completion.dropped)
    return {model: sorted(names) for model, names in sorted(found.items())}
