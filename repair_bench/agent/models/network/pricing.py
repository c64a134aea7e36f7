"""Compute the usage and cost of a completion, and, before a request is sent, the maximum cost of the request.

Unknown values are None, never 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from repair_bench.agent.models.network.providers import ProviderSettings
from repair_bench.traces.record.spending import Bound, known_cost, known_usage

_MILLION = 1_000_000
_TEMPLATE_TOKENS = 256  # added by chat templates before the first message
_MESSAGE_TOKENS = 16  # and around each one


def usage_of(response: Any) -> dict[str, Any] | None:
    """Return the provider's valid token counts (see `known_usage`); None if the provider reported none.

    If a provider reports no counts, litellm writes zeros. If the token limit leaves no room for an answer, litellm
    returns an empty completion with estimated token counts. This function discards such counts: no real prompt has 0
    tokens, and no real answer reaches the token limit with 0 tokens.
    """
    usage = known_usage(_mapping(getattr(response, "usage", None), depth=3))
    if usage is None or not usage.get("prompt_tokens"):
        return None
    if not usage.get("completion_tokens") and getattr(response.choices[0], "finish_reason", None) == "length":
        return None
    return usage


def _mapping(value: Any, depth: int) -> Any:
    if hasattr(type(value), "model_fields"):
        value = dict(value)
    if not isinstance(value, dict) or not depth:
        return value
    return {name: _mapping(item, depth - 1) for name, item in value.items()}


def cost_of(
    litellm: Any, response: Any, model: str, usage: dict[str, Any] | None, settings: ProviderSettings
) -> tuple[float | None, str | None]:
    """Return the cost in US dollars, and the source of the prices: the experiment, the provider or litellm.

    The cost is based on the price of the model that answered the request. If the request went to the user's own server,
    the cost is based on litellm's price for the requested model, whichever model answered. Because litellm's table
    contains 0 for missing prices, a computed cost of 0 counts as unknown. A batch is billed at the model's batch price,
    or at half the normal price if litellm lists no batch price. If the cost of a batch is based on litellm's prices,
    the returned source ends in ", batch" (batch price) or ", half" (half the normal price).
    """
    if settings.input_price is not None:
        cost = at_own_price(settings, usage)
        return cost, "experiment" if cost is not None else None
    reported = _reported(response, usage)
    if reported is not None:
        return reported, "provider"
    if usage is None:
        return None, None
    source = f"litellm {version('litellm')}"
    try:
        response.usage = litellm.Usage(**usage)  # only the valid counts
        if settings.batch:
            cost = known_cost(sum(litellm.cost_calculator.batch_cost_calculator(usage=response.usage, model=model)))
            source += ", batch" if _batch_shares(litellm.get_model_info(model)) else ", half"
        elif settings.api_base is not None:
            cost = known_cost(sum(litellm.cost_per_token(model=model, usage_object=response.usage)))
        else:
            cost = known_cost(litellm.completion_cost(completion_response=response, model=model))
    except Exception:  # noqa: BLE001 - litellm raises plain Exception for a model it has no price for
        return None, None
    return (cost, source) if cost else (None, None)


def at_own_price(settings: ProviderSettings, usage: Mapping[str, Any] | None) -> float | None:
    """Return the cost in US dollars at the experiment's prices; None if prices or token counts are missing."""
    prompt, completion = ((usage or {}).get(name) for name in ("prompt_tokens", "completion_tokens"))
    if prompt is None or completion is None or settings.input_price is None or settings.output_price is None:
        return None
    details = (usage or {}).get("prompt_tokens_details")
    cached = min(prompt, details.get("cached_tokens") or 0) if isinstance(details, dict) else 0
    price = settings.input_price if settings.cached_input_price is None else settings.cached_input_price
    total = (prompt - cached) * settings.input_price + cached * price + completion * settings.output_price
    return known_cost(total / _MILLION)


def _reported(response: Any, usage: dict[str, Any] | None) -> float | None:
    """Return the cost that the response reports, or None.

    OpenRouter reports the cost in the usage, and litellm's proxy reports it in a header. In this header, 0 means that
    the cost is unknown.
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
    litellm: Any, model: str, messages: list[dict[str, Any]], max_tokens: int | None, settings: ProviderSettings
) -> Bound:
    """Return the maximum cost of one request with a completion of at most `max_tokens`.

    Every token has at least one byte of text. Therefore, the number of UTF-8 bytes in the prompt, plus an allowance for
    the chat template, is at least the number of prompt tokens with any tokenizer. For English text and code, the number
    of bytes is about four times the number of tokens. If the experiment sets no prices, the highest prices in litellm's
    table that may apply to the request are used: for cache writes, for reasoning, for the service tier, or for a batch.
    """
    if max_tokens is None:
        return Bound(None, None)
    prompt = _TEMPLATE_TOKENS + sum(_MESSAGE_TOKENS + _bytes(message) for message in messages)
    if settings.input_price is not None and settings.output_price is not None:
        read = prompt * max(settings.input_price, settings.cached_input_price or 0.0) / _MILLION
        return Bound(read + max_tokens * settings.output_price / _MILLION, prompt + max_tokens, read, prompt)
    tier = settings.parameters.get("service_tier")
    try:
        read, written = litellm.cost_per_token(
            model=model, prompt_tokens=prompt, completion_tokens=max_tokens, service_tier=tier
        )
        price = litellm.get_model_info(model)
    except Exception:  # noqa: BLE001 - as above
        return Bound(None, prompt + max_tokens, None, prompt)
    share = max(_batch_shares(price), default=0.5) if settings.batch else 1.0
    read *= share * _dearer(price, "cache_creation_input_token_cost", "input_cost_per_token")
    written *= share * _dearer(price, "output_cost_per_reasoning_token", "output_cost_per_token")
    return Bound(float(read + written) or None, prompt + max_tokens, float(read), prompt)


def _bytes(message: Mapping[str, Any]) -> int:
    others = {name: value for name, value in message.items() if name not in ("role", "content")}
    text = message["content"] + (json.dumps(others, ensure_ascii=False) if others else "")
    return len(text.encode(errors="surrogatepass"))


def _batch_shares(price: Mapping[str, Any]) -> list[float]:
    kinds = ("input_cost_per_token", "output_cost_per_token")
    return [
        price[f"{kind}_batches"] / price[kind] for kind in kinds if price.get(kind) and price.get(f"{kind}_batches")
    ]


def _dearer(price: Mapping[str, Any], special: str, usual: str) -> float:
    return max(1.0, (price.get(special) or 0.0) / (price.get(usual) or float("inf")))
