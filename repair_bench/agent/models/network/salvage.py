"""A completion from a reply that litellm could not read. It was made and is billed, so it is not asked for again.

Only for chat completions in OpenAI's form. What has another type than a field holds is unknown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from repair_bench.agent.models.network.errors import ReportedError
from repair_bench.traces.record.spending import known_usage

_CHUNK = "chat.completion.chunk"  # an unrequested stream: other chunks hold the rest of the answer
_STATUSES = range(400, 600)


def salvaged(litellm: Any, body: bytes) -> Any | None:
    """The response that `body` holds, as litellm makes responses; None where no completion can be read from it.

    Raises ReportedError for an error that was sent instead of a completion.
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


def _first_object(body: bytes) -> Mapping[str, Any]:
    """The first JSON object of a body, whatever stands after it; empty where there is none."""
    try:
        text = body.decode(json.detect_encoding(body), errors="replace")
        data, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) and data.get("object") != _CHUNK else {}


def _first_message(choices: Any) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """The first choice that has a message, and that; under whichever name, and the text of an old completion."""
    for choice in choices if isinstance(choices, list) else [choices]:
        for name in ("message", "delta", "text") if isinstance(choice, dict) else ():
            message = choice.get(name)
            if isinstance(message, dict | str):
                return choice, message if isinstance(message, dict) else {"content": message}
    return {}, None
