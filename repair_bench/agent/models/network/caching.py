"""Mark messages for the provider's cache, so that the next request is billed at the price for cached prompts.

The cache markers are added when a request is sent and are not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_AUTOMATIC = {"openai", "azure", "azure_ai"}
"""Providers that cache prompts without cache markers, including those that charge for caching."""
_MARK = {"type": "ephemeral"}


def takes_marks(info: Mapping[str, Any]) -> bool:
    """Whether a model requires cache markers.

    Cache markers are required by Claude models, and by models whose provider charges for writing to the cache but does
    not cache automatically.
    """
    if not info.get("supports_prompt_caching"):
        return False
    bills = bool(info.get("cache_creation_input_token_cost"))
    return "claude" in str(info.get("key")) or (bills and info.get("litellm_provider") not in _AUTOMATIC)


def marked(messages: Sequence[Mapping[str, Any]], attempts_left: int) -> list[dict[str, Any]]:
    """Return the messages with cache markers on the system prompt and on the last user message.

    `attempts_left`: the number of attempts left, including the current attempt. Writing to the cache costs extra, so
    the last user message of the last attempt is not cached: no later request would read it from the cache. In the last
    attempt, the marker is on the previous user message, which is already cached.
    """
    users = [index for index, message in enumerate(messages) if message["role"] == "user"]
    kept = users[-1:] if attempts_left > 1 else users[-2:-1]
    kept += [index for index, message in enumerate(messages) if message["role"] == "system"]
    return [_marked(message) if index in kept else dict(message) for index, message in enumerate(messages)]


def _marked(message: Mapping[str, Any]) -> dict[str, Any]:
    text = message["content"]
    if not text:  # an empty text cannot be marked
        return dict(message)
    return {**message, "content": [{"type": "text", "text": text, "cache_control": _MARK}]}
