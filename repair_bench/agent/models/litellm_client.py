"""Real models, through litellm. The only module that imports it, and only when a model is created.

litellm's own retries and those of the client below it are off: `RetryPolicy` is the only one.
"""

from __future__ import annotations

import asyncio
import functools
import os
import re
import time
import weakref
from dataclasses import dataclass, field
from typing import Any

from repair_bench.agent.models.base import Model, Request
from repair_bench.agent.models.errors import MalformedResponseError, explain, is_transient
from repair_bench.agent.models.pricing import cost_of, usage_of
from repair_bench.agent.models.redaction import redact
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.traces.faults import UsageError
from repair_bench.traces.records import Completion

_INSTEAD = {"temperature": None, "seed": None, "max_tokens": "max_completion_tokens"}
"""Parameters that a model may refuse, and the one to send in its place."""
_SEED_BITS = 31  # several providers refuse a seed beyond a 32-bit integer

_open: weakref.WeakSet[LiteLLMModel] = weakref.WeakSet()  # they share litellm's sessions; the last to close ends them


def create(name: str, **options: Any) -> Model:
    """See `LiteLLMModel`."""
    return LiteLLMModel(name, **options)


@dataclass
class _Sending:
    """One completion under way: the parameters in force, those the model refused, the requests sent so far."""

    messages: list[dict[str, str]]
    params: dict[str, Any]
    key: str | None
    refused: set[str] = field(default_factory=set)
    requests: int = 0


class LiteLLMModel:
    """A model behind a provider that litellm knows, or behind any server that speaks OpenAI's chat completions.

    `name`: provider/model. `api_base`: the URL of a server of your own; a name without a known provider is then sent to
    it as OpenAI-compatible, and a dummy key is used where the environment holds none. `timeout`: seconds for a request.
    `max_concurrency`: requests in flight at once, at least 1; one that waits to be repeated keeps its place, so that a
    busy provider is asked less.

    Raises UsageError for a name without a provider, or an option that cannot work.
    """

    simulated = False

    def __init__(
        self,
        name: str,
        *,
        api_base: str | None = None,
        timeout: float = 600.0,
        max_concurrency: int = 16,
        retry: RetryPolicy | None = None,
    ) -> None:
        if api_base is not None and not re.match(r"https?://.", api_base):
            raise UsageError(f"'{redact(api_base)}' is not the URL of a server: write http://host:port/v1")
        if max_concurrency < 1:
            raise UsageError(f"{max_concurrency} requests at once would never answer: give 1 or more")
        self.name = name
        self._litellm = _load()
        self._route, self._provider = _route(self._litellm, name, api_base)
        self._api_base = api_base
        self._timeout = timeout
        self._retry = retry or RetryPolicy()
        self._slots = asyncio.Semaphore(max_concurrency)
        self._refused: set[str] = set()
        _open.add(self)

    async def complete(self, request: Request) -> Completion:
        """See `Model.complete`."""
        sending = _Sending(request.messages, self._params(request), self._key())
        async with self._slots:
            try:
                return await self._retry.retrying(is_transient, self._timeout)(self._ask, sending)
            except Exception as error:  # noqa: BLE001 - the boundary: whatever broke is named and raised below
                failure = explain(error, self.name, sending.requests, self._key_hint())
        # outside of the except block: the original may hold the key, and would be kept as the context
        raise failure

    async def close(self) -> None:
        """See `Model.close`."""
        _open.discard(self)
        if not _open:
            await self._litellm.close_litellm_async_clients()
            self._litellm.in_memory_llm_clients_cache.flush_cache()

    async def _ask(self, sending: _Sending) -> Completion:
        """Ask once, and once more for each parameter that the model turns out to refuse."""
        while True:
            sending.requests += 1
            started = time.monotonic()
            try:
                async with asyncio.timeout(self._timeout):  # litellm's own bounds each read, not the whole
                    response = await self._litellm.acompletion(
                        messages=[dict(message) for message in sending.messages],
                        **sending.params,
                        api_base=self._api_base,
                        api_key=sending.key,
                        timeout=self._timeout,
                        num_retries=0,
                        max_retries=0,
                    )
            except self._litellm.BadRequestError as error:
                if isinstance(error, self._litellm.UnsupportedParamsError):
                    sending.requests -= 1  # litellm refused by itself, nothing was sent
                if not self._leave_out(sending, error):
                    raise
            else:
                return self._completion(sending, response, time.monotonic() - started)

    def _leave_out(self, sending: _Sending, error: Exception) -> bool:
        """Drop the parameter that the error names. False when it names none: the request itself is at fault."""
        if isinstance(error, self._litellm.ContextWindowExceededError | self._litellm.ContentPolicyViolationError):
            return False
        for name, instead in _INSTEAD.items():
            named = getattr(error, "param", None) == name or re.search(rf"\b{name}\b", str(error))
            if name in sending.params and named:
                value = sending.params.pop(name)
                if instead:
                    sending.params[instead] = value
                sending.refused.add(name)
                return True
        return False

    def _completion(self, sending: _Sending, response: Any, seconds: float) -> Completion:
        if not getattr(response, "choices", None):
            raise MalformedResponseError("the response holds no choices")
        self._refused |= sending.refused  # it answered without them: later requests leave them out at once
        usage = usage_of(response)
        return Completion(
            text=_text(response.choices[0].message.content),
            usage=usage,
            cost_usd=cost_of(self._litellm, response, self._route, usage, own_server=self._api_base is not None),
            params=sending.params,
            latency_seconds=seconds,
            requests=sending.requests,
            finish_reason=getattr(response.choices[0], "finish_reason", None),
            served_by=getattr(response, "model", None),
        )

    def _params(self, request: Request) -> dict[str, Any]:
        """What is sent beside the messages: only what the model is known to take."""
        seed = request.seed % 2**_SEED_BITS
        wanted = {"temperature": request.temperature, "max_tokens": request.max_tokens, "seed": seed}
        supported = self._litellm.get_supported_openai_params(model=self._route)
        params: dict[str, Any] = {"model": self._route}
        for name, value in wanted.items():
            send_as = _INSTEAD[name] if name in self._refused else name
            if value is not None and send_as and (supported is None or name in supported):
                params[send_as] = value
        return params

    def _key(self) -> str | None:
        """A dummy for a server of the user's own; None lets litellm read the environment."""
        missing = self._missing_keys()
        if missing and self._api_base is None:
            raise UsageError(f"{self.name} needs a key: {self._key_hint()}")
        return "unused" if missing else None

    def _missing_keys(self) -> list[str]:
        missing: list[str] = self._litellm.validate_environment(model=self._route)["missing_keys"]
        return [name for name in missing if name.endswith("_API_KEY")]

    def _key_hint(self) -> str:
        missing = self._missing_keys()
        if missing:
            return f"set {' and '.join(missing)} in the environment"
        letters = self._provider.replace("_", "").upper()
        found = sorted(n for n in os.environ if n.endswith("_API_KEY") and letters in n.replace("_", "").upper())
        return f"check the value of {' and '.join(found) or 'the key of ' + self._provider} in the environment"


def _text(content: Any) -> str:
    """Some servers send a list of parts, and null for an empty answer."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content or ""


def _route(litellm: Any, name: str, api_base: str | None) -> tuple[str, str]:
    """The name that litellm is given, and its provider. Raises UsageError."""
    try:
        model, provider, _, _ = litellm.get_llm_provider(name)
    except litellm.BadRequestError:
        model, provider = name, ""
    if provider and "/" in name and name.partition("/")[0] in litellm.provider_list:
        return name, provider
    if api_base is not None:
        return f"openai/{name}", "openai"
    hint = f"{provider}/{model}" if provider else "provider/model, or give the api_base of a server of your own"
    raise UsageError(f"no provider is known for the model '{name}': write {hint}")


@functools.cache
def _load() -> Any:
    """Import litellm (4 to 9 seconds) so that it fetches nothing, prints nothing and reads no key from a file."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it fetches its price table from the network
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else it loads a .env file found near the interpreter
    import litellm

    litellm.suppress_debug_info = True
    litellm.drop_params = False  # it would drop parameters without a word
    return litellm
