"""Extract the completion from a litellm response.

Providers may send anything: values of unexpected types count as unknown, and responses without an answer count as
faults.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from repair_bench.agent.models.network.errors import MalformedResponseError, ReportedError
from repair_bench.agent.models.network.pricing import cost_of, usage_of
from repair_bench.agent.models.network.providers import ProviderSettings
from repair_bench.traces.record.printable import printable
from repair_bench.traces.record.reasoning import reasoning_of
from repair_bench.traces.record.records import Completion, ReplyKind
from repair_bench.traces.record.spending import known_usage
from repair_bench.traces.record.writable import MAX_DEPTH, is_plain

_NO_ANSWER = ("thinking", "reasoning")  # types of content that do not belong to the answer
MAX_WORD = 200
"""The maximum length of short texts in a response, such as the model name and the finish reason."""
_CHUNK = "chat.completion.chunk"  # an unrequested stream: other chunks contain the rest of the answer
_STATUSES = range(400, 600)
_BROKEN_OFF = {"error", "network_error", "insufficient_system_resource", "abort"}
"""Finish reasons of OpenRouter, Cohere, Zhipu, DeepSeek and vLLM for answers that the provider failed to complete.
litellm reports them as `stop`."""


def read(litellm: Any, response: Any, model: str, settings: ProviderSettings) -> Completion:
    """Return the completion from a response. Raises MalformedResponseError if there is no completion."""
    choices = getattr(response, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise MalformedResponseError("the response has no choices")
    message = getattr(choices[0], "message", None)
    if message is None:
        raise MalformedResponseError("the first choice has no message")
    served_by = getattr(response, "model", None)  # before the computation of the price, which may change it
    usage = usage_of(response)
    text, parts = _text(getattr(message, "content", None)), _parts(message)
    finish_reason = _word(getattr(choices[0], "finish_reason", None))
    # litellm replaces Anthropic's reason for a refusal by that of other providers' filters
    refused = finish_reason == "content_filter" and model.startswith("anthropic/")
    cost, source = cost_of(litellm, response, model, usage, settings)
    return Completion(
        text=text,
        parts=parts or None,
        reply=_kind(text, parts, "refusal" if refused else finish_reason, usage),
        usage=usage,
        cost_usd=cost,
        cost_source=source,
        finish_reason=finish_reason,
        served_by=_word(served_by),
    )


def _text(content: Any) -> str:
    """Return the text of a message's content. The content may be a string, a list of parts, a single part, or null."""
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        content = [content]
    if isinstance(content, list):
        answering = (part for part in content if not isinstance(part, dict) or part.get("type") not in _NO_ANSWER)
        texts = (part.get("text") if isinstance(part, dict) else part for part in answering)
        return "".join(text for text in texts if isinstance(text, str))
    if content is None or isinstance(content, str):
        return content or ""
    raise MalformedResponseError(f"the content of the message is of type {type(content).__name__}, not text")


def _parts(message: Any) -> dict[str, Any]:
    """Return the fields of a message other than its text. Omit fields that are not JSON or are nested very deeply."""
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
        if is_plain(part, MAX_DEPTH // 2):
            parts[printable(str(name)[:MAX_WORD])] = part
    return parts


def _kind(text: str, parts: Mapping[str, Any], finish_reason: str | None, usage: Mapping[str, Any] | None) -> ReplyKind:
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


def salvaged(litellm: Any, body: bytes) -> Any | None:
    """Recover the response from a body that litellm cannot read; return None if it contains no readable completion.

    The provider bills the completion in any case, so repeating the request would cost twice as much. Supports chat
    completions in OpenAI's format. Raises ReportedError if the body reports an error.
    """
    reply = _first_object(body)
    choice, message = _first_message(reply.get("choices"))
    if message is None:
        if isinstance(error := reply.get("error"), dict):  # some gateways send one with the status of a success
            code = error.get("code", error.get("status"))
            if isinstance(code, int) and code in _STATUSES:
                raise ReportedError(code, error)
        return None
    counts = known_usage(reply.get("usage"))
    model = reply.get("model")
    response = litellm.ModelResponse(model=model if isinstance(model, str) else None)
    response.usage = SimpleNamespace() if counts is None else litellm.Usage(**counts)
    response.choices = [SimpleNamespace(message=SimpleNamespace(**message), finish_reason=choice.get("finish_reason"))]
    return response


def check_complete(body: bytes) -> None:
    """Raise ReportedError if a response contains an answer that the provider failed to complete."""
    choice, _ = _first_message(_first_object(body).get("choices"))
    reason = choice.get("finish_reason")
    if isinstance(reason, str) and reason.lower() in _BROKEN_OFF:
        raise ReportedError(502, {"message": f"the provider broke off the answer (finish reason {reason})"})


def _first_object(body: bytes) -> Mapping[str, Any]:
    try:
        text = body.decode(json.detect_encoding(body), errors="replace")
        data, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) and data.get("object") != _CHUNK else {}


def _first_message(choices: Any) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """Return the first choice that has a message, and that message.

    In a choice, the field with the message is called `message`, `delta` or `text`, and may contain plain text.
    """
    for choice in choices if isinstance(choices, list) else [choices]:
        for name in ("message", "delta", "text") if isinstance(choice, dict) else ():
            message = choice.get(name)
            if isinstance(message, dict | str):
                return choice, message if isinstance(message, dict) else {"content": message}
    return {}, None
