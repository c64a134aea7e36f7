"""What a completion used and cost, as far as that is known, and what a request may cost. Unknown is None, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from repair_bench.traces.spending import Spend, known_cost, known_usage

_TEMPLATE_TOKENS = 256  # what chat templates add before the first message
_MESSAGE_TOKENS = 16  # and around each one


def usage_of(response: Any) -> dict[str, Any] | None:
    """The provider's own token counts, as far as they are counts (see `known_usage`), or None when it sent none.

    litellm fills in zeros for a provider that reports nothing, and an estimate where it turns the error "no room for an
    answer within the token limit" into an empty completion. No true prompt is empty, no true answer is cut at 0 tokens.
    """
    usage = known_usage(_mapping(getattr(response, "usage", None), depth=3))
    if usage is None or not usage.get("prompt_tokens"):
        return None
    if not usage.get("completion_tokens") and getattr(response.choices[0], "finish_reason", None) == "length":
        return None
    return usage


def _mapping(value: Any, depth: int) -> Any:
    """Objects of litellm as dictionaries, `depth` levels of them."""
    if hasattr(type(value), "model_fields"):
        value = dict(value)
    if not isinstance(value, dict) or not depth:
        return value
    return {name: _mapping(item, depth - 1) for name, item in value.items()}


def cost_of(
    litellm: Any, response: Any, model: str, usage: dict[str, Any] | None, *, own_server: bool
) -> tuple[float | None, str | None]:
    """US dollars and where they come from: what the provider says it charged, else litellm's price for these counts.

    A provider is priced by the model it says it served. A server of the user's own may call its model anything: it is
    priced by the model asked for. litellm's table writes 0 for what it has no price for, so a computed 0 is unknown.
    """
    reported = _reported(response, usage)
    if reported is not None:
        return reported, "provider"
    if usage is None:
        return None, None
    try:
        response.usage = litellm.Usage(**usage)  # the counts that are known, so that no other kind is priced
        if own_server:
            cost = known_cost(sum(litellm.cost_per_token(model=model, usage_object=response.usage)))
        else:
            cost = known_cost(litellm.completion_cost(completion_response=response, model=model))
    except Exception:  # noqa: BLE001 - litellm raises plain Exception for a model it has no price for
        return None, None
    return (cost, f"litellm {version('litellm')}") if cost else (None, None)


def _reported(response: Any, usage: dict[str, Any] | None) -> float | None:
    """What the provider says it charged: in its counts, as OpenRouter does, or in litellm's proxy's header.

    The proxy computes from a price table and writes 0 for what is not in it.
    """
    cost = known_cost((usage or {}).get("cost"))
    if cost is not None:
        return cost
    headers = (getattr(response, "_hidden_params", None) or {}).get("additional_headers") or {}
    try:
        return known_cost(float(headers["llm_provider-x-litellm-response-cost"])) or None
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def worst_case(
    litellm: Any, model: str, messages: list[dict[str, str]], max_tokens: int | None, parameters: Mapping[str, Any]
) -> Spend:
    """The most that one request can take: every token of the prompt, and a completion of `max_tokens`.

    A token stands for one byte of text or more, so the prompt's bytes in UTF-8, with an allowance for what the chat
    template adds, are an upper bound whatever the tokenizer: about four times the truth for English and code. It is
    held for the time of the request only. The price is the dearest that the table has for these counts: cache writes
    for the prompt, reasoning for the completion, the service tier asked for in `parameters`.
    """
    if max_tokens is None:
        return Spend(None, None)
    prompt = _TEMPLATE_TOKENS + sum(
        _MESSAGE_TOKENS + len(m["content"].encode(errors="surrogatepass")) for m in messages
    )
    tier = parameters.get("service_tier")
    try:
        asked, answered = litellm.cost_per_token(
            model=model, prompt_tokens=prompt, completion_tokens=max_tokens, service_tier=tier
        )
        price = litellm.get_model_info(model)
    except Exception:  # noqa: BLE001 - as above
        return Spend(None, prompt + max_tokens)
    cost = asked * _dearer(price, "cache_creation_input_token_cost", "input_cost_per_token")
    cost += answered * _dearer(price, "output_cost_per_reasoning_token", "output_cost_per_token")
    return Spend(float(cost) or None, prompt + max_tokens)


def _dearer(price: Mapping[str, Any], special: str, usual: str) -> float:
    """How many times dearer the special kind of token is; at least 1."""
    return max(1.0, (price.get(special) or 0.0) / (price.get(usual) or float("inf")))
