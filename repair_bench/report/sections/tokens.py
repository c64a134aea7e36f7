"""A table of the numbers of tokens read from a provider's cache, tokens written to this cache, and reasoning tokens."""

from __future__ import annotations

from repair_bench.analysis.rates import metrics
from repair_bench.report.sections.base import KEYS, RunData, named, named_groups
from repair_bench.report.table import Sum, Table
from repair_bench.traces.record.records import TokenKind

_KINDS: dict[str, TokenKind] = {
    "input": "prompt_tokens",
    "read from cache": "cached_tokens",
    "written to cache": "cache_creation_tokens",
    "output": "completion_tokens",
    "reasoning": "reasoning_tokens",
}
"""The kind of tokens that each column contains."""


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        answers = metrics.completions(attempt for episode in members for attempt in episode.attempts)
        totals = {kind: metrics.tokens(answers, kind) for kind in _KINDS.values()}
        if any(totals[_KINDS[name]].known for name in ("read from cache", "written to cache", "reasoning")):
            counts = {str(kind): {"known": t.known, "unknown": t.unknown} for kind, t in totals.items()}
            rows.append({**names, **counts})
    return Table.of(
        "Cached and reasoning tokens",
        sorted(rows, key=lambda row: [row[key] for key in KEYS]),
        lambda row: {
            **named(row, KEYS),
            **{shown: Sum(row[kind]["known"], row[kind]["unknown"]) for shown, kind in _KINDS.items()},
        },
        "Input includes the tokens read from and written to the provider's cache; output includes reasoning.",
    )
