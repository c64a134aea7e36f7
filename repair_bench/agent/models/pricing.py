"""What a completion used and cost, as far as that is known. Unknown is None, never 0."""

from __future__ import annotations

from typing import Any


def usage_of(response: Any) -> dict[str, Any] | None:
    """The provider's own token counts, or None when it sent none.

    litellm fills in zeros for a provider that reports nothing, and an estimate where it turns the error "no room for an
    answer within the token limit" into an empty completion. No true prompt is empty, no true answer is cut at 0 tokens.
    """
    usage = getattr(response, "usage", None)
    if usage is None or not usage.prompt_tokens:
        return None
    if not usage.completion_tokens and response.choices[0].finish_reason == "length":
        return None
    counts: dict[str, Any] = usage.model_dump(exclude_none=True)
    return counts


def cost_of(litellm: Any, response: Any, model: str, usage: dict[str, Any] | None, *, own_server: bool) -> float | None:
    """US dollars: what the provider says it charged, else litellm's price for these counts, else None.

    A provider is priced by the model it says it served. A server of the user's own may call its model anything: it is
    priced by the model asked for. litellm's table writes 0 for what it has no price for, so a computed 0 is unknown.
    """
    reported = (usage or {}).get("cost")
    if isinstance(reported, int | float) and not isinstance(reported, bool):
        return float(reported)
    if usage is None:
        return None
    try:
        if own_server:
            cost = sum(litellm.cost_per_token(model=model, usage_object=response.usage))
        else:
            cost = litellm.completion_cost(completion_response=response, model=model)
    except Exception:  # noqa: BLE001 - litellm raises plain Exception for a model it has no price for
        return None
    return float(cost) or None
