"""The completion in a response of litellm. A provider may write anything anywhere: a value of another type than its
field is unknown, and a response without an answer is a fault.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from repair_bench.agent.models.network.errors import MalformedResponseError
from repair_bench.agent.models.network.pricing import cost_of, usage_of
from repair_bench.agent.models.network.providers import ProviderSettings
from repair_bench.traces.record.printable import printable
from repair_bench.traces.record.reasoning import reasoning_of
from repair_bench.traces.record.records import Completion, ReplyKind
from repair_bench.traces.record.writable import DEEPEST, is_plain

_NO_ANSWER = ("thinking", "reasoning")  # parts of a content that are not of the answer
MAX_WORD = 200
"""Characters of a name that a provider gives: the model that answered, why it stopped."""


def read(litellm: Any, response: Any, model: str, settings: ProviderSettings) -> Completion:
    """Return the completion in the response to a request for `model`. Raises MalformedResponseError if there is none.

    `settings`: of the model, for the price; see `cost_of`.
    """
    choices = getattr(response, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise MalformedResponseError("the response holds no choices")
    message = getattr(choices[0], "message", None)
    if message is None:
        raise MalformedResponseError("the first choice holds no message")
    served_by = getattr(response, "model", None)  # before the price is asked for, which may change it
    usage = usage_of(response)
    text, parts = _text(getattr(message, "content", None)), _parts(message)
    finish_reason = _word(getattr(choices[0], "finish_reason", None))
    cost, source = cost_of(litellm, response, model, usage, settings)
    return Completion(
        text=text,
        parts=parts or None,
        reply=_kind(text, parts, _as_said(finish_reason, model), usage),
        usage=usage,
        cost_usd=cost,
        cost_source=source,
        finish_reason=finish_reason,
        served_by=_word(served_by),
    )


def _text(content: Any) -> str:
    """Some servers send a list of parts or one part, and null for an empty answer."""
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        content = [content]
    if isinstance(content, list):
        texts = (_text_of(part) for part in content)
        return "".join(text for text in texts if isinstance(text, str))
    if content is None or isinstance(content, str):
        return content or ""
    raise MalformedResponseError(f"the content is no text but of type {type(content).__name__}")


def _text_of(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    return None if part.get("type") in _NO_ANSWER else part.get("text")


def _parts(message: Any) -> dict[str, Any]:
    """Return the other fields of a message as they arrived, except those that are not JSON or very deep."""
    parts: dict[str, Any] = {}
    given = {**getattr(message, "__dict__", {}), **(getattr(message, "model_extra", None) or {})}
    own = given.pop("provider_specific_fields", None)
    for name, value in {**(own if isinstance(own, Mapping) else {}), **given}.items():
        if name in ("role", "content") or not value:
            continue
        try:
            part = json.loads(json.dumps(value, default=dict, allow_nan=False))
        except (TypeError, ValueError, RecursionError):
            continue
        if is_plain(part, DEEPEST // 2):
            parts[printable(str(name)[:MAX_WORD])] = part
    return parts


def _as_said(finish_reason: str | None, model: str) -> str | None:
    """Return Anthropic's reason for a refusal, which litellm replaces by that of other providers' filters."""
    return "refusal" if finish_reason == "content_filter" and model.startswith("anthropic/") else finish_reason


def _kind(text: str, parts: Mapping[str, Any], finish_reason: str | None, usage: Mapping[str, Any] | None) -> ReplyKind:
    """Return the kind of a reply. Hidden reasoning is known by its count only."""
    if parts.get("refusal") or finish_reason == "refusal":
        return "refusal"
    if finish_reason == "content_filter":
        return "filtered"
    if parts.get("tool_calls") or parts.get("function_call"):
        return "tool_calls"
    details = (usage or {}).get("completion_tokens_details")
    reasoned = bool(reasoning_of(parts)) or bool(isinstance(details, dict) and details.get("reasoning_tokens"))
    if finish_reason == "length":
        return "cut_in_reasoning" if reasoned and not text.strip() else "cut"
    if text.strip():
        return "text"
    return "reasoning_only" if reasoned else "empty"


def _word(value: Any) -> str | None:
    return printable(value[:MAX_WORD]) if isinstance(value, str) and value else None
