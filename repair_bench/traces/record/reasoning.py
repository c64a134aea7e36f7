"""What a model thought before it answered, and how it is handed back: as it came, byte for byte, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "reasoning_items")
"""The names under which providers give reasoning beside the text of a reply, and take it back with the message: plain
text, blocks with signatures, items that are encrypted."""
WITHHELD = "(withheld by the provider)"


def reasoning_of(parts: Mapping[str, Any] | None) -> dict[str, Any]:
    """The reasoning among the parts of a reply, to be a part of the message that hands it back.

    Where a provider calls it `reasoning`, litellm gives it as `reasoning_content` as well: that copy is left out.
    """
    found = {name: parts[name] for name in REASONING if parts and parts.get(name)}
    if "reasoning" in found:
        found.pop("reasoning_content", None)
    return found


def readable(parts: Mapping[str, Any] | None) -> str:
    """The reasoning among the parts of a reply as text, for people; "" where there is none."""
    return "\n\n".join(_texts(reasoning_of(parts)))


def _texts(found: Mapping[str, Any]) -> Iterator[str]:
    """Each thought once: where there are blocks, the text beside them says the same."""
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
