"""Which of the tokens were read from a provider's cache, kept in it, or spent on reasoning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from repair_bench.analysis.rates import metrics
from repair_bench.report.sections.base import KEYS, RunData, named, named_groups
from repair_bench.report.table import Cell, Sum, Table
from repair_bench.traces.record.records import TokenKind

_KINDS: dict[str, TokenKind] = {
    "tokens in": "prompt_tokens",
    "cached": "cached_tokens",
    "kept": "cache_creation_tokens",
    "out": "completion_tokens",
    "reasoning": "reasoning_tokens",
}
"""As printed, and as counted."""
_SOME: tuple[TokenKind, ...] = ("cached_tokens", "cache_creation_tokens", "reasoning_tokens")


def section(run: RunData) -> Table:
    """One row a model, suite and condition for which a provider told of such tokens."""
    rows = []
    for names, members in named_groups(run.episodes, *KEYS):
        answers = metrics.completions(attempt for episode in members for attempt in episode.attempts)
        totals = {kind: metrics.tokens(answers, kind) for kind in _KINDS.values()}
        if any(totals[kind].known for kind in _SOME):
            counts = {str(kind): {"known": t.known, "unknown": t.unknown} for kind, t in totals.items()}
            rows.append({**names, **counts})
    return Table.of(
        "Cached tokens and reasoning",
        sorted(rows, key=lambda row: [row[key] for key in KEYS]),
        _cells,
        "Of the tokens in: cached, read from the provider's cache; kept, written to it. Of those out: reasoning.",
    )


def _cells(row: Mapping[str, Any]) -> dict[str, Cell]:
    counts = {shown: Sum(row[kind]["known"], row[kind]["unknown"]) for shown, kind in _KINDS.items()}
    return {**named(row, KEYS), **counts}
