"""Format numbers, lists and long texts for display."""

from __future__ import annotations

from collections.abc import Sequence


def count(n: int, noun: str) -> str:
    """Return a number and its noun, in the plural unless the number is 1."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def listed(names: Sequence[str], limit: int = 6) -> str:
    """Return at most `limit` names, separated by commas, and the number of names omitted."""
    return ", ".join(names) if len(names) <= limit else f"{', '.join(names[:limit])} and {len(names) - limit} more"


def shortened(text: str, maximum: int) -> str:
    """Return the beginning and the end of a text of more than `maximum` characters."""
    if len(text) <= maximum:
        return text
    half, omitted = maximum // 2, len(text) - maximum
    return f"{text[:half]}\n... ({omitted:,} characters omitted)\n{text[-half:]}"
