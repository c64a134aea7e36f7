"""What a completion used and cost, as far as that is known, and what a request may cost. Unknown is None, never 0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from repair_bench.agent.models.network.providers import ProviderSettings
from repair_bench.traces.record.spending import Bound, known_cost, known_usage

_MILLION = 1_000_000
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
    litellm: Any, response: Any, model: str, usage: dict[str, Any] | None, settings: ProviderSettings
) -> tuple[float | None, str | None]:
    """US dollars and where they come from: the prices of the experiment, where it states some for the model; else what
    the provider says it charged; else litellm's price for these counts.

    A provider is priced by the model it says it served. A server of the user's own may call its model anything: it is
    priced by the model asked for. litellm's table writes 0 for what it has no price for, so a computed 0 is unknown.
    In a batch the model asked for has a price for these, or else half of its price is taken, and the source says so.
    """
    if settings.input_price is not None:
        cost = at_own_price(settings, usage)
        return (cost, "experiment") if cost is not None else (None, None)
    reported = _reported(response, usage)
    if reported is not None:
        return reported, "provider"
    if usage is None:
        return None, None
    source = f"litellm {version('litellm')}"
    try:
        response.usage = litellm.Usage(**usage)  # the counts that are known, so that no other kind is priced
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
    """US dollars at the experiment's prices; None without these, or without counts of both prompt and completion."""
    asked, answered = ((usage or {}).get(name) for name in ("prompt_tokens", "completion_tokens"))
    if asked is None or answered is None or settings.input_price is None or settings.output_price is None:
        return None
    details = (usage or {}).get("prompt_tokens_details")
    cached = min(asked, details.get("cached_tokens") or 0) if isinstance(details, dict) else 0
    price = settings.input_price if settings.cached_input_price is None else settings.cached_input_price
    whole = (asked - cached) * settings.input_price + cached * price + answered * settings.output_price
    return known_cost(whole / _MILLION)


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
    litellm: Any, model: str, messages: list[dict[str, Any]], max_tokens: int | None, settings: ProviderSettings
) -> Bound:
    """The most that one request can take: every token of the prompt, and a completion of `max_tokens`.

    A token stands for one byte of text or more, so the prompt's bytes in UTF-8, with an allowance for what the chat
    template adds, are an upper bound whatever the tokenizer: about four times the truth for English and code. It is
    held for the time of the request only. The price is the dearest that the table has for these counts: cache writes
    for the prompt, reasoning for the completion, the service tier asked for, or that of a batch; or the experiment's
    own price.
    """
    if max_tokens is None:
        return Bound(None, None)
    prompt = _TEMPLATE_TOKENS + sum(_MESSAGE_TOKENS + _bytes(message) for message in messages)
    if settings.input_price is not None and settings.output_price is not None:
        asked = prompt * max(settings.input_price, settings.cached_input_price or 0.0) / _MILLION
        return Bound(asked + max_tokens * settings.output_price / _MILLION, prompt + max_tokens, asked, prompt)
    tier = settings.parameters.get("service_tier")
    try:
        asked, answered = litellm.cost_per_token(
            model=model, prompt_tokens=prompt, completion_tokens=max_tokens, service_tier=tier
        )
        price = litellm.get_model_info(model)
    except Exception:  # noqa: BLE001 - as above
        return Bound(None, prompt + max_tokens, None, prompt)
    share = max(_batch_shares(price), default=0.5) if settings.batch else 1.0
    asked *= share * _dearer(price, "cache_creation_input_token_cost", "input_cost_per_token")
    answered *= share * _dearer(price, "output_cost_per_reasoning_token", "output_cost_per_token")
    return Bound(float(asked + answered) or None, prompt + max_tokens, float(asked), prompt)


def _bytes(message: Mapping[str, Any]) -> int:
    """Of a message's text, and of what else it hands back, as JSON."""
    beside = {name: value for name, value in message.items() if name not in ("role", "content")}
    text = message["content"] + (json.dumps(beside, ensure_ascii=False) if beside else "")
    return len(text.encode(errors="surrogatepass"))


def _batch_shares(price: Mapping[str, Any]) -> list[float]:
    """What a token of a prompt and one of an answer cost in a batch, of their price outside; none that is unknown."""
    kinds = ("input_cost_per_token", "output_cost_per_token")
    return [
        price[f"{kind}_batches"] / price[kind] for kind in kinds if price.get(kind) and price.get(f"{kind}_batches")
    ]


def _dearer(price: Mapping[str, Any], special: str, usual: str) -> float:
    """How many times dearer the special kind of token is; at least 1."""
    return max(1.0, (price.get(special) or 0.0) / (price.get(usual) or float("inf")))
