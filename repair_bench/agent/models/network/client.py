"""Models that are queried through litellm, which is imported when the first model is created.

Retries by litellm and its HTTP client are disabled: each request is sent once.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import time
import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dotenv import load_dotenv

from repair_bench.agent.models.base import SEED_BITS, Quota, Request, RequestError, Tries, check_keys
from repair_bench.agent.models.network.caching import marked, takes_marks
from repair_bench.agent.models.network.errors import (
    explain,
    has_answered,
    is_astray,
    is_context_full,
    is_filtered,
    is_transient,
    place,
    reason,
    refused_parameter,
    was_refused,
)
from repair_bench.agent.models.network.http_limits import limit_transports, watched
from repair_bench.agent.models.network.pricing import worst_case
from repair_bench.agent.models.network.providers import ProviderSettings, Throttle, asked_as
from repair_bench.agent.models.network.redaction import CleanLog, one_line
from repair_bench.agent.models.network.reply import check_complete, read, salvaged
from repair_bench.agent.models.retry import RetryPolicy, retry_after
from repair_bench.text import count
from repair_bench.traces.faults import ContextFull, UsageError
from repair_bench.traces.record.printable import encodable
from repair_bench.traces.record.records import Completion
from repair_bench.traces.record.spending import Spend
from repair_bench.traces.run.run_files import MANIFEST

_INSTEAD = {"temperature": None, "seed": None, "max_tokens": "max_completion_tokens"}
"""Parameters that a model may reject, with their replacements."""

_open: weakref.WeakSet[LiteLLMModel] = weakref.WeakSet()  # they share litellm's sessions; the last one closes them


@functools.cache
def load() -> Any:
    """Import litellm (4 to 9 seconds) without letting it access the network, print, or read files.

    Keys are read from the environment or, if it does not contain them, from a `.env` file in the working directory. A
    `.env` file in the folder of a run or a site is ignored. Such a folder may come from another person, and settings
    in its `.env` file could send a key to a different server.
    """
    if not any(os.path.exists(name) for name in (MANIFEST, "site.json")):  # noqa: PTH110 - as `load_dotenv` looks
        load_dotenv(".env", override=False, interpolate=False)
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise it downloads its price table
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # otherwise it loads a .env file near the interpreter
    try:
        import litellm
    except ModuleNotFoundError:
        raise UsageError("models of providers need litellm: pip install 'repair-bench[litellm]'") from None
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

    limit_transports(AsyncHTTPHandler)
    logging.getLogger("LiteLLM").addFilter(CleanLog())
    litellm.suppress_debug_info = True
    litellm.drop_params = False  # otherwise it drops parameters silently
    return litellm


class LiteLLMModel:
    """A model of a provider that litellm supports, or of any server with OpenAI's chat completions API.

    `name`: provider/model. Providers that litellm does not support require `settings.api_base`, the address of an
    OpenAI-compatible server. The server receives a dummy key if the environment contains no key. Raises UsageError
    without an address. `throttle`: the quota that all models of the provider share. `retry`: the retry policy, or None
    for the default policy with `retry_for_seconds` from the settings.
    """

    simulated = False

    def __init__(
        self,
        name: str,
        settings: ProviderSettings,
        *,
        throttle: Throttle | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.name = name
        self._litellm = load()
        self._route, self._provider = _route(self._litellm, asked_as(name), settings.api_base)
        self._settings = settings
        self.timeout = self._longest = settings.timeout_seconds
        self.retry = retry or RetryPolicy.of_patience(settings.retry_for_seconds)
        self.quota: Quota = throttle or Throttle(settings, self._provider)
        self._refused: set[str] = set()
        self._reached = False  # whether the provider has ever answered, even with an error
        self._answered = False  # whether the model has ever replied

    @property
    def supports_prefill(self) -> bool:
        """Whether the model can continue an assistant message.

        If the setting `assistant_prefill` is missing, litellm's information about the model applies.
        """
        if self._settings.assistant_prefill is not None:
            return self._settings.assistant_prefill
        return bool(self._info().get("supports_assistant_prefill"))

    @property
    def supports_tools(self) -> bool:
        """Whether the model can call tools.

        If the setting `tool_calling` is missing, litellm's information about the model applies.
        """
        if self._settings.tool_calling is not None:
            return self._settings.tool_calling
        return bool(self._litellm.supports_function_calling(model=self._route))

    @property
    def reasons(self) -> bool:
        """Whether the model reasons before it answers, according to litellm's table."""
        return bool(self._litellm.supports_reasoning(model=self._route))

    def worst_case(self, messages: list[dict[str, Any]], max_tokens: int | None) -> Spend:
        return worst_case(self._litellm, self._route, messages, max_tokens, self._settings)

    def _info(self) -> dict[str, Any]:
        try:
            info: dict[str, Any] = self._litellm.get_model_info(self._route)
        except Exception:  # noqa: BLE001 - litellm raises plain Exception for a model it does not know
            return {}
        return info

    async def complete(self, request: Request) -> Completion:
        _open.add(self)
        params, dropped = self._params(request)
        left_out = sorted(dropped) or None
        try:
            key = self._key()
        except UsageError as error:
            raise RequestError(error, unbilled=True) from None
        tries = request.tries
        tries.sent += 1
        started = time.monotonic()
        try:
            reply = await self._exchange(request, params, key)
        except Exception as error:  # noqa: BLE001 - the boundary: every error is classified and raised below
            tries.seconds += time.monotonic() - started
            self._reached |= has_answered(error)
            if is_filtered(error):  # the provider does not report its cost
                return Completion(
                    "",
                    params=params,
                    dropped=left_out,
                    requests=tries.sent,
                    finish_reason="content_filter",
                    reply="filtered",
                )
            failure = self._failed(request, error, params)
        else:
            seconds = time.monotonic() - started
            self._reached = self._answered = True
            self._refused |= tries.refused  # later requests omit them at once
            return replace(reply, params=params, dropped=left_out, latency_seconds=seconds, requests=tries.sent)
        # outside of the except block, because the original error may contain the key and would become the context
        raise failure

    def _failed(self, request: Request, error: Exception, params: Mapping[str, Any]) -> RequestError:
        tries = request.tries
        changed = isinstance(error, self._litellm.BadRequestError) and self._leave_out(tries, error, params)
        if isinstance(error, self._litellm.UnsupportedParamsError):
            tries.sent -= 1  # litellm refused it and sent nothing
        where = place(error) or (self._settings.api_base or "").partition("://")[2].partition("/")[0]
        why = f"{reason(error)}{f' at {where}' if where else ''} after {count(tries.sent, 'request')}"
        unreached = None
        if is_astray(error) and not self._reached:
            check = "whether a model server is running" if self._settings.api_base else "this machine's network"
            unreached = UsageError(
                f"{self.name}: {why}; the server was never reached: check the address and {check}. {one_line(error)}"
            )
        final: Exception
        if is_context_full(error):
            final = ContextFull(f"{self.name}: {one_line(error)}")
        else:
            final = explain(error, self.name, tries.sent, self._key_hint(), params, answered=self._answered)
        return RequestError(
            final,
            again="now" if changed else "later" if is_transient(error) else "never",
            unbilled=was_refused(error),
            unreached=unreached,
            reason=f"{self._provider}: {why}",
            retry_after=retry_after(error),
            kind=type(error).__name__,
            status_code=getattr(error, "status_code", None),
        )

    async def close(self) -> None:
        _open.discard(self)
        if not _open:
            await self._litellm.close_litellm_async_clients()
            self._litellm.in_memory_llm_clients_cache.flush_cache()

    async def _exchange(self, request: Request, params: Mapping[str, Any], key: str | None) -> Completion:
        """Return the reply to one request.

        If litellm cannot read the reply, recover the reply from the response body.
        """
        with watched() as exchange:
            try:
                # litellm's timeout limits each read only
                async with asyncio.timeout(self._longest):
                    response = await self._litellm.acompletion(
                        messages=self._messages(request),
                        **params,
                        api_base=self._settings.api_base,
                        api_key=key,
                        timeout=self._longest,
                        num_retries=0,
                        max_retries=0,
                    )
                reply = read(self._litellm, response, self._route, self._settings)
            except Exception:
                if not exchange.completed or exchange.refusal is not None or exchange.is_page:
                    raise
                response = salvaged(self._litellm, bytes(exchange.body))
                request.tries.unreadable += 1
                if response is None:
                    raise
                reply = read(self._litellm, response, self._route, self._settings)
            check_complete(bytes(exchange.body))
            return reply

    def _messages(self, request: Request) -> list[dict[str, Any]]:
        messages = [_sendable(message) for message in request.messages]
        setting = self._settings.prompt_cache
        marks = takes_marks(self._info()) if setting is None else setting
        return marked(messages, request.attempts_left) if marks else messages

    def _leave_out(self, tries: Tries, error: Exception, params: Mapping[str, Any]) -> bool:
        """Drop the parameter that the error names; return False if the error names no parameter."""
        if is_context_full(error) or (name := refused_parameter(error, [n for n in _INSTEAD if n in params])) is None:
            return False
        tries.refused.add(name)
        return True

    def _params(self, request: Request) -> tuple[dict[str, Any], set[str]]:
        """Return the parameters to send, and the names of requested parameters that the model does not support."""
        forced = self._settings.temperature
        wanted = {
            "temperature": request.temperature if forced is None else forced,
            "max_tokens": request.max_tokens,
            "seed": request.seed % 2**SEED_BITS,
        }
        supported = self._litellm.get_supported_openai_params(model=self._route)
        params: dict[str, Any] = {"model": self._route, **self._settings.parameters}
        dropped: set[str] = set()
        for name, value in wanted.items():
            send_as = _INSTEAD[name] if name in self._refused | request.tries.refused else name
            if value is not None and send_as and (supported is None or name in supported):
                params[send_as] = value
            elif value is not None:
                dropped.add(name)
        if request.reasoning_effort is not None:
            params["reasoning_effort"] = request.reasoning_effort
        if request.thinking_budget is not None:
            params["thinking"] = {"type": "enabled", "budget_tokens": request.thinking_budget}
        if request.tools:
            params["tools"] = list(request.tools)
        return params, dropped

    def needed_keys(self) -> list[str]:
        if named := self._settings.api_key_env:
            return [] if os.environ.get(named, "").strip() else [named]
        return self._missing_keys() if self._settings.api_base is None else []

    def _key(self) -> str | None:
        """Return the API key, a dummy key for the user's own server, or None if litellm reads the key from the
        environment.
        """
        check_keys([self])
        if named := self._settings.api_key_env:
            return os.environ[named]
        return "unused" if self._missing_keys() else None

    def _missing_keys(self) -> list[str]:
        empty = {name: key for name, key in os.environ.items() if name.endswith("_API_KEY") and not key.strip()}
        for name in empty:
            del os.environ[name]
        try:
            missing: list[str] = self._litellm.validate_environment(model=self._route)["missing_keys"]
        finally:
            os.environ.update(empty)
        return [name for name in missing if name.endswith("_API_KEY")]

    def _key_hint(self) -> str:
        missing = self._missing_keys()
        if missing:
            return f"set {' and '.join(missing)} in the environment or in .env"
        if self._settings.api_key_env:
            return f"check the value of {self._settings.api_key_env} in the environment"
        letters = self._provider.replace("_", "").upper()
        variables = sorted(n for n in os.environ if n.endswith("_API_KEY") and letters in n.replace("_", "").upper())
        return f"check the value of {' and '.join(variables) or 'the key of ' + self._provider} in the environment"


def _sendable(value: Any) -> Any:
    """Return a copy of the messages without lone surrogates. litellm may then modify the copy."""
    if isinstance(value, dict):
        return {name: _sendable(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_sendable(part) for part in value]
    return encodable(value) if isinstance(value, str) else value


def _route(litellm: Any, name: str, api_base: str | None) -> tuple[str, str]:
    try:
        model, provider, _, _ = litellm.get_llm_provider(name)
    except litellm.BadRequestError:
        model, provider = name, ""
    if provider and "/" in name and name.partition("/")[0] in litellm.provider_list:
        return name, provider
    if api_base is not None:
        return f"openai/{name}", "openai"
    hint = f"{provider}/{model}" if provider else "provider/model, or pass --api-base for a custom server"
    raise UsageError(f"the model '{name}' has no known provider: use {hint}")
