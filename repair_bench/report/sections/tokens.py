"""Tokens read from or written to the cache of a provider, and reasoning tokens."""

from __future__ import annotations

from repair_bench.analysis.rates import metrics
from repair_bench.report.sections.base import KEYS, RunData, named, named_groups
from repair_bench.report.table import Sum, Table
from repair_bench.traces.record.records import TokenKind

_KINDS: dict[str, TokenKind] = {
    "tokens in": "prompt_tokens",
    "cached": "cached_tokens",
    "kept": "cache_creation_tokens",
    "out": "completion_tokens",
    "reasoning": "reasoning_tokens",
}
"""By heading: the kind of tokens."""


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        answers = metrics.completions(attempt for episode in members for attempt in episode.attempts)
        totals = {kind: metrics.tokens(answers, kind) for kind in _KINDS.values()}
        if any(totals[_KINDS[name]].known for name in ("cached", "kept", "reasoning")):
            counts = {str(kind): {"known": t.known, "unknown": t.unknown} for kind, t in totals.items()}
            rows.append({**names, **counts})
    return Table.of(
        "Cached tokens and reasoning",
        sorted(rows, key=lambda row: [row[key] for key in KEYS]),
        lambda row: {
            **named(row, KEYS),
            **{shown: Sum(row[kind]["known"], row[kind]["unknown"]) for shown, kind in _KINDS.items()},
        },
        "Of the tokens in: cached, read from the provider's cache; kept, written to it. Of those out: reasoning.",
    )
