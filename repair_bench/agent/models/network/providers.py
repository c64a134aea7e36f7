"""The settings of providers and models: rate limits, retries, addresses and prices.

A model may have *variants* with different settings: `openai/o4-mini#high` is a variant of `openai/o4-mini`.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from aiolimiter import AsyncLimiter
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from repair_bench.agent.models.base import Request
from repair_bench.agent.models.network.redaction import names_a_secret
from repair_bench.log import log
from repair_bench.prompts.condition import MAX_TEMPERATURE
from repair_bench.traces.faults import UsageError

PRICES = frozenset({"input_price", "output_price", "cached_input_price"})
PACE = PRICES | {
    *("requests_per_minute", "concurrency", "timeout_seconds", "retry_for_seconds"),
    *("api_key_env", "prompt_cache", "batch"),
}
"""Fields that do not affect answers and may change when a run is resumed."""

VARIANT = "#"
"""The separator between the name of a model and its variant."""

_OWN = {"model", "messages", "max_tokens", "max_completion_tokens", "seed", "temperature", "n", "stream", "timeout"}
_SINGLE = {
    *("reasoning_effort", "verbosity", "service_tier", "parallel_tool_calls", "store", "user"),
    *("top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty"),
}
"""Parameters that accept a single value, not a list."""
_LONG_WAIT = 1.0  # seconds; longer waits for a turn are logged
_WEEK = 7 * 86_400.0
_MAX_PRICE = 1e6  # US dollars per million tokens
_SECRET = re.compile(
    r"api_?key|secret|password|credential|authorization|(access|auth|ad|session|bearer)_token", re.IGNORECASE
)


class ProviderSettings(BaseModel):
    """The settings of a provider (the part of a model's name before the slash) or of one model (its full name).

    A model's settings override its provider's, field by field, and a variant's settings (`openai/o4-mini#high`)
    override its model's. API keys are read from the environment or from a `.env` file in the working directory.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    requests_per_minute: float | None = Field(default=None, gt=0, le=1e6)
    """Maximum number of requests per minute, including retries, sent at intervals of 60/N seconds. All models of the
    provider share this limit. None: no limit."""
    concurrency: int = Field(default=16, ge=1, le=100_000)
    """Maximum number of requests in flight, including requests waiting to be retried, for all models of the
    provider."""
    timeout_seconds: float = Field(default=600.0, gt=0, le=_WEEK)
    """Time limit for an answer, in seconds, after which the request is repeated."""
    temperature: float | None = Field(default=None, ge=0, le=MAX_TEMPERATURE)
    """Temperature that replaces the temperature of the experiment, for models that accept only one value."""
    retry_for_seconds: float = Field(default=300.0, ge=0, le=_WEEK)
    """Maximum sum of the waits before all retries of a request, in seconds. The waits between retries grow from 2 to 60
    seconds. Quotas often apply per minute, so less than two minutes may be too short."""
    api_base: str | None = None
    """Address of a server that implements OpenAI's chat completions API, such as http://127.0.0.1:8000/v1."""
    api_key_env: str | None = None
    """Environment variable that contains the API key, such as HOUSE_KEY, if it differs from litellm's default."""
    assistant_prefill: bool | None = None
    """Whether the model continues an assistant message at the end of the prompt. None: according to litellm."""
    tool_calling: bool | None = None
    """Whether the model supports tool calls; if not, the prompt explains how to run programs. None: according to
    litellm."""
    batch: bool = False
    """Whether to use the provider's batch API, at about half the price: all first answers form one batch, then all
    first repairs, and so on. A batch may take anywhere from a few minutes to a day."""
    prompt_cache: bool | None = None
    """Whether to add markers for the provider's cache to prompts. If a repair prompt has cache markers, the provider
    bills the earlier conversation at the price of cached tokens. None: cache markers are added only for models that
    require cache markers according to litellm (Claude models do, OpenAI models do not)."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Additional parameters for every request, such as top_p or reasoning_effort. The parameters must not contain an
    API key."""
    input_price: float | None = Field(default=None, ge=0, le=_MAX_PRICE)
    """Price of the prompt in USD per million tokens; this price applies to batches too. None: the cost that the
    provider reports is recorded. If the provider reports no cost, the price in litellm's table is used."""
    output_price: float | None = Field(default=None, ge=0, le=_MAX_PRICE)
    """Price of the completion in USD per million tokens, including reasoning."""
    cached_input_price: float | None = Field(default=None, ge=0, le=_MAX_PRICE)
    """Price of cached prompt tokens in USD per million tokens. None: `input_price`."""

    @field_validator("api_base")
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        if value is not None and not re.match(r"https?://[^/@]", value):
            raise ValueError("the address is not the URL of a server: use the form http://host:port/v1")
        if value is not None and "@" in value.split("/")[2]:
            raise ValueError("a password in the URL would be recorded: put the key in an environment variable instead")
        return value

    @field_validator("api_key_env")
    @classmethod
    def _is_redacted(cls, value: str | None) -> str | None:
        if value is not None and not (value.isidentifier() and names_a_secret(value)):
            raise ValueError("set the name of an environment variable (such as HOUSE_KEY), not the key itself")
        return value

    @field_validator("parameters")
    @classmethod
    def _is_free(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name, given in value.items():
            if name in _OWN:
                raise ValueError(f"{name} is set elsewhere in the experiment: remove it from parameters")
            if name in _SINGLE and isinstance(given, list):
                raise ValueError(
                    f"{name} accepts a single value: to compare several values, list variants of the model "
                    f'(openai/o4-mini#low, openai/o4-mini#high) with separate tables [providers."openai/o4-mini#low"]'
                )
        try:
            json.dumps(value, allow_nan=False)
        except (ValueError, TypeError, RecursionError):
            raise ValueError(
                "the parameters cannot be written as JSON: remove inf, nan, dates and deep nesting"
            ) from None
        for name in _names(value):
            if _SECRET.search(name):
                raise ValueError(f"the value of {name} would be recorded: put the key in an environment variable")
        return value

    @model_validator(mode="after")
    def _is_priced(self) -> ProviderSettings:
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("input_price and output_price must be set together, in USD per million tokens")
        if self.cached_input_price is not None and self.input_price is None:
            raise ValueError("cached_input_price requires input_price and output_price: set all three")
        return self

    @model_serializer(mode="wrap")
    def _as_given(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return only the fields that were set.

        Default values are not written, because every written value counts as set when the file is read again. The
        default values of a model would therefore override the settings of its provider.
        """
        return {name: value for name, value in dump(self).items() if name in self.model_fields_set}


def settings_of(name: str, providers: Mapping[str, ProviderSettings]) -> ProviderSettings:
    """Return the effective settings of a model.

    The settings come from the model's variant, the model, its provider and the defaults, in order of precedence. The
    `parameters` of a variant are merged with its model's `parameters`; all other fields are replaced.
    """
    settings = providers.get(_provider(name), ProviderSettings())
    for owner in _owners(name):
        if own := providers.get(owner):
            given = {field: getattr(own, field) for field in own.model_fields_set}
            if is_variant(owner) and "parameters" in given:
                given["parameters"] = {**settings.parameters, **given["parameters"]}
            settings = settings.model_copy(update=given)
    return settings


def is_variant(name: str) -> bool:
    """Whether a name denotes a variant, such as `openai/o4-mini#high`."""
    return VARIANT in name


def asked_as(name: str) -> str:
    """Return a model's name without its variant, as sent to the provider."""
    return name.partition(VARIANT)[0]


def at_address(settings: ProviderSettings, api_base: str) -> ProviderSettings:
    """Return a copy of the settings with the address replaced. Raises UsageError for an invalid address."""
    try:
        return ProviderSettings(**{**settings.model_dump(), "api_base": api_base})
    except ValidationError as error:
        raise UsageError(f"--api-base: {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None


class Throttle:
    """The quota of a provider. `slots` limits the number of concurrent requests, and `turn` spaces requests out in
    time.
    """

    def __init__(self, settings: ProviderSettings, provider: str = "") -> None:
        self._provider = provider
        self.slots = asyncio.Semaphore(settings.concurrency)
        rate = settings.requests_per_minute
        # a larger bucket would allow a burst at the start
        self._limiter = None if rate is None else AsyncLimiter(1, 60 / rate)

    def line(self, _: Request) -> AbstractContextManager[bool]:
        return nullcontext(False)

    async def turn(self, _: Request) -> None:
        """See `Quota.turn`. First come, first served."""
        if self._limiter is None:
            return
        started = time.monotonic()
        await self._limiter.acquire()
        seconds = time.monotonic() - started
        if seconds >= _LONG_WAIT:
            log.info("quota_wait", provider=self._provider, seconds=round(seconds, 1))


def throttle_owner(name: str, providers: Mapping[str, ProviderSettings]) -> str:
    """Return the owner of a model's quota: the model if its settings contain a quota, otherwise its provider."""
    for owner in reversed(_owners(name)):
        own = providers.get(owner)
        if own is not None and own.model_fields_set & {"requests_per_minute", "concurrency"}:
            return owner
    return _provider(name)


def _owners(name: str) -> list[str]:
    """Return the names under which a model may have settings, from the most general (the model) to the most specific
    (its variant).
    """
    return [asked_as(name), name] if is_variant(name) else [name]


def _provider(name: str) -> str:
    return name.partition("/")[0]


def _names(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [key for name, part in value.items() for key in [str(name), *_names(part)]]
    if isinstance(value, list):
        return [key for part in value for key in _names(part)]
    return []
