"""Marks in the messages up to which a provider is to keep the prompt, so that the next request reads it at the cached
price. The marks are put in when a request is sent; no record holds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_BY_THEMSELVES = {"openai", "azure", "azure_ai"}
"""Providers, by litellm's name, that keep prompts unasked, and bill some models for it."""
_MARK = {"type": "ephemeral"}


def takes_marks(info: Mapping[str, Any]) -> bool:
    """Whether a model keeps a prompt where it is marked, by its entry in litellm's table: Claude wherever it is served,
    and what bills for keeping a prompt, but not unasked.
    """
    if not info.get("supports_prompt_caching"):
        return False
    bills = bool(info.get("cache_creation_input_token_cost"))
    return "claude" in str(info.get("key")) or (bills and info.get("litellm_provider") not in _BY_THEMSELVES)


def marked(messages: Sequence[Mapping[str, Any]], attempts_left: int) -> list[dict[str, Any]]:
    """The messages with a mark on the system prompt and on the last message of the user.

    `attempts_left`: how many attempts the episode may still make, this one included. What the last one sends is never
    read again, and keeping it costs more than not: there the mark is on the message before, which was kept last time.
    """
    asked = [index for index, message in enumerate(messages) if message["role"] == "user"]
    kept = asked[-1:] if attempts_left > 1 else asked[-2:-1]
    kept += [index for index, message in enumerate(messages) if message["role"] == "system"]
    return [_marked(message) if index in kept else dict(message) for index, message in enumerate(messages)]


def _marked(message: Mapping[str, Any]) -> dict[str, Any]:
    text = message["content"]
    if not text:  # an empty text cannot be marked
        return dict(message)
    return {**message, "content": [{"type": "text", "text": text, "cache_control": _MARK}]}
