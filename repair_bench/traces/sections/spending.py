"""What solving costs: solved episodes for a million tokens and for a dollar."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.spending import bought
from repair_bench.traces.metrics import group
from repair_bench.traces.sections.base import Row, Section, Studied, firsts

_KEYS = ("model", "suite", "condition")


def section(run: Studied) -> Section:
    """Two rows a model, suite and condition: first answers alone, and with repairs."""
    rows = []
    for k in dict.fromkeys((0, run.repairs)):
        for key, members in group(run.paths if k else firsts(run), *_KEYS).items():
            found = bought(members, k)
            if found.episodes and (found.tokens.value is not None or found.usd.value is not None):
                rows.append(
                    {
                        **dict(zip(_KEYS, key, strict=True)),
                        "k": k,
                        "solved": found.solved,
                        "episodes": found.episodes,
                        "tokens": found.tokens.value,
                        "usd": found.usd.value,
                        "solved_per_million_tokens": found.solved_per_million_tokens,
                        "solved_per_dollar": found.solved_per_dollar,
                    }
                )
    return Section(
        "What solving costs",
        "Tokens read and written. A figure that a provider does not report is unknown, and nothing is divided by it.",
        sorted(rows, key=lambda row: [row[key] for key in _KEYS]),
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    return {
        **{key: str(row[key]) for key in _KEYS},
        "up to": f"FB@{row['k']}" if row["k"] else "Pass@1",
        "solved": f"{row['solved']:,} / {row['episodes']:,}",
        "a million tokens": _figure(row["solved_per_million_tokens"]),
        "a dollar": _figure(row["solved_per_dollar"]),
    }


def _figure(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.1f}"
