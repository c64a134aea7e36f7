"""The reasoning of a model; later requests either send it back byte for byte or omit it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "reasoning_items")
"""Names of the fields for reasoning in replies and messages: plain text, signed blocks, encrypted items."""
WITHHELD = "(withheld by the provider)"


def reasoning_of(parts: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the reasoning in the parts of a reply.

    If a reply has both fields, `reasoning_content` is omitted because it duplicates `reasoning`.
    """
    found = {name: parts[name] for name in REASONING if parts and parts.get(name)}
    if "reasoning" in found:
        found.pop("reasoning_content", None)
    return found


def readable(parts: Mapping[str, Any] | None) -> str:
    """Return the reasoning in the parts of a reply as readable text, or "" if there is none."""
    return "\n\n".join(_texts(reasoning_of(parts)))


def _texts(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield each piece of reasoning once. Reasoning in plain text is skipped if it is also given as blocks or items."""
    blocks = [block for block in found.get("thinking_blocks") or () if isinstance(block, dict)]
    items = [item for item in found.get("reasoning_items") or () if isinstance(item, dict)]
    if blocks:
        yield from (str(block.get("thinking") or WITHHELD) for block in blocks)
    elif items:
        for item in items:
            yield "\n".join(str(part.get("text", "")) for part in item.get("summary") or ()) or WITHHELD
    else:
        text = found.get("reasoning") or found.get("reasoning_content")
        yield from [text] if isinstance(text, str) else []
