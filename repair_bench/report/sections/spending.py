"""What solving costs: solved episodes for a million tokens and for a dollar."""

from __future__ import annotations

from typing import Any

from repair_bench.analysis.arms import firsts
from repair_bench.analysis.costs import bought
from repair_bench.analysis.metrics import group
from repair_bench.report.sections.base import Studied, named, solved_within
from repair_bench.report.table import Cell, Number, Share, Table, Text

_KEYS = ("model", "suite", "condition")


def section(run: Studied) -> Table:
    """Two rows a model, suite and condition: first answers alone, and with repairs."""
    rows = []
    for k in dict.fromkeys((0, run.repairs)):
        for key, members in group(run.episodes if k else firsts(run.episodes), *_KEYS).items():
            spent = bought(members, k)
            if spent.episodes and (spent.tokens.value is not None or spent.usd.value is not None):
                rows.append(
                    {
                        **dict(zip(_KEYS, key, strict=True)),
                        "k": k,
                        "solved": spent.solved,
                        "episodes": spent.episodes,
                        "tokens": spent.tokens.value,
                        "usd": spent.usd.value,
                        "solved_per_million_tokens": spent.solved_per_million_tokens,
                        "solved_per_dollar": spent.solved_per_dollar,
                    }
                )
    return Table.of(
        "What solving costs",
        sorted(rows, key=lambda row: [row[key] for key in _KEYS]),
        _cells,
        "Tokens read and written. A figure that a provider does not report is unknown, and nothing is divided by it.",
    )


def _cells(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        **named(row, _KEYS),
        "up to": Text(solved_within(row["k"]), "name"),
        "solved": Share(row["solved"], row["episodes"]),
        "a million tokens": Number(row["solved_per_million_tokens"], ",.1f", word="unknown"),
        "a dollar": Number(row["solved_per_dollar"], ",.1f", word="unknown"),
    }
