"""What a completion used and cost, as far as that is known. Unknown is None, never 0."""

from __future__ import annotations

from typing import Any


def usage_of(response: Any) -> dict[str, Any] | None:
    """The provider's own token counts, or None when it sent none.

    litellm fills in zeros for a provider that reports nothing, and an estimate where it turns the error "no room for an
    answer within the token limit" into an empty completion. No true prompt is empty, no true answer cut off at 0 tokens.
    """
    usage = getattr(response, "usage", None)
    if usage is None or not usage.prompt_tokens:
        return None
    if not usage.completion_tokens and response.choices[0].finish_reason == "length":
        return None
    counts: dict[str, Any] = usage.model_dump(exclude_none=True)
    return counts


def cost_of(litellm: Any, response: Any, model: str, usage: dict[str, Any] | None) -> float | None:
    """US dollars: what the provider says it charged, else litellm's price for these counts, else None.

    litellm's table writes 0 for what it has no price for, so a computed 0 is unknown too.
    """
    reported = (usage or {}).get("cost")
    if isinstance(reported, int | float) and not isinstance(reported, bool):
        return float(reported)
    if usage is None:
        return None
    try:
        cost = litellm.completion_cost(completion_response=response, model=model)
    except Exception:  # noqa: BLE001 - litellm raises plain Exception for a model it has no price for
        return None
    return float(cost) or None
