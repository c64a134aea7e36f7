"""From litellm's response to what is recorded of it. A provider may write anything anywhere: what is not of the kind
that a field holds is unknown, and what holds no answer is a fault.
"""

from __future__ import annotations

from typing import Any, TypedDict

from repair_bench.agent.models.errors import MalformedResponseError
from repair_bench.agent.models.pricing import cost_of, usage_of
from repair_bench.traces.printable import printable

LONGEST_WORD = 200
"""Characters of a name that a provider gives: the model that answered, why it stopped."""


class Reply(TypedDict):
    """The fields of a `Completion` that the provider decides."""

    text: str
    usage: dict[str, Any] | None
    cost_usd: float | None
    cost_source: str | None
    finish_reason: str | None
    served_by: str | None


def read(litellm: Any, response: Any, model: str, *, own_server: bool) -> Reply:
    """What the response to a request for `model` says. Raises MalformedResponseError when it is no completion.

    `own_server`: whether a server of the user's own answered, see `cost_of`.
    """
    choices = getattr(response, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise MalformedResponseError("the response holds no choices")
    message = getattr(choices[0], "message", None)
    if message is None:
        raise MalformedResponseError("the first choice holds no message")
    served_by = getattr(response, "model", None)  # before the price is asked for, which may change it
    usage = usage_of(response)
    cost, source = cost_of(litellm, response, model, usage, own_server=own_server)
    return Reply(
        text=_text(getattr(message, "content", None)),
        usage=usage,
        cost_usd=cost,
        cost_source=source,
        finish_reason=_word(getattr(choices[0], "finish_reason", None)),
        served_by=_word(served_by),
    )


def _text(content: Any) -> str:
    """Some servers send a list of parts, and null for an empty answer."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    if content is None or isinstance(content, str):
        return content or ""
    raise MalformedResponseError(f"the content is no text but of type {type(content).__name__}")


def _word(value: Any) -> str | None:
    return printable(value[:LONGEST_WORD]) if isinstance(value, str) and value else None
