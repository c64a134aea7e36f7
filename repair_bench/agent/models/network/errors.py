"""Classify provider errors.

Depending on the error, the request is repeated, the user is informed, the run stops, or the completion is abandoned.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Iterable, Iterator
from types import UnionType
from typing import Any

import httpx

from repair_bench.agent.models.network.http_limits import WireError
from repair_bench.agent.models.network.redaction import one_line
from repair_bench.text import count
from repair_bench.traces.faults import BudgetExhausted, ModelError, UsageError

_TRANSIENT = {408, 409, 425, 429}  # and every 5xx; litellm gives broken connections a 500
_UNREACHABLE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ETIMEDOUT}
_REFUSED, _UNKNOWN, _NO_ROUTE = "connection refused", "unknown host", "host unreachable"
_NO_TLS, _NO_COMPLETION = "no TLS connection", "the reply is not a completion"
_ASTRAY = {_REFUSED, _UNKNOWN, _NO_ROUTE, _NO_TLS, _NO_COMPLETION}
_NEVER_SENT = {_REFUSED, _UNKNOWN, _NO_ROUTE}

_SPENT = re.compile(
    r"ExceededBudget:|budget has been exceeded|crossed budget|exceeded budget for|credit balance is too low"
    r"|key limit exceeded",
    re.IGNORECASE,
)
"""Messages about an exhausted budget. LiteLLM's proxy, Anthropic and OpenRouter define no error code for this case."""
_SPENT_CODES = {"insufficient_quota", "insufficient_credits", "budget_exceeded"}
_FLAGGED = re.compile(r"requires moderation|flagged_input|input was flagged", re.IGNORECASE)
"""Messages of OpenRouter about a prompt that was rejected by moderation, with status 403."""
_FILTER_CODES = {"content_filter", "content_policy_violation"}
_CONTEXT_CODES = re.compile(
    r"ContextWindowExceeded|context_length_exceeded|context_window_exceeded|exceed_context_size_error"
    r"|max_prompt_tokens_exceeded|tokens_limit_reached"
)
"""Error codes for a full context window, from LiteLLM's proxy, OpenAI, Azure, Groq, Together, Cerebras, llama.cpp and
GitHub."""
_CONTEXT_WORDS = re.compile(
    r"context (?:length|window|size|limit)"  # vLLM, SGLang, llama.cpp, OpenRouter, DeepSeek, Mistral, LM Studio
    r"|\b(?:prompt|inputs?|messages|conversation)\b[^.]{0,60}\btoo (?:long|large)\b"  # Anthropic, Bedrock, Fireworks
    r"|too many (?:input |prompt )?tokens|request body too large for"  # Cohere, AI21, Bedrock; GitHub
    # Gemini, watsonx, Copilot
    r"|\b(?:prompt|input)\b(?:(?!max_|output|completion)[^.]){0,80}\bexceeds?\b[^.]{0,60}\b(?:tokens?|limit)\b"
    r"|exceed(?:s|ed)? (?:the )?model(?:'s)? token limit"  # Moonshot
    r"|maximum (?:prompt|input|model) length|range of input length"  # xAI, vLLM, Qwen
    r"|`inputs` (?:tokens \+ `max_new_tokens` must be|must have less than)"  # Hugging Face
    r"|reduce the length of (?:the|your) (?:messages|prompt|input)"
    r"|\u8d85\u957f",  # Zhipu: "too long"
    re.IGNORECASE,
)
_TURNED_DOWN = re.compile(
    r"unsupported|not (?:be )?support|unrecognized|unknown|unexpected|not permitted|not allowed|not available|invalid"
    r"|too (?:large|small)|deprecated|extra_forbidden",
    re.IGNORECASE,
)

_VARYING = re.compile(r"[\w.:+-]*\d[\w.:+-]*")  # numbers, times and ids of requests
_GIST = 120  # characters that identify an error; later ones may quote the request
_READ = 10_000  # characters of an error that are searched
_UNBILLED = {500, 503, 529}  # a gateway's 502 and 504 may hide a billed answer


class MalformedResponseError(Exception):
    """The provider's reply is not a completion."""


class ParameterRefusedError(UsageError):
    """The provider does not accept a parameter or its value."""


class ReportedError(Exception):
    """An error that a provider reported in a reply with a success status."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(str(body.get("message")))
        self.status_code = status
        self.body = body
        self.litellm_response_headers: dict[str, str] = {}


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed later, for example after a rate limit, a timeout or a server error."""
    if isinstance(error, TimeoutError | ConnectionError | MalformedResponseError):
        return True
    # a reply nested too deeply for Python, or a missing package: a repeat would fail again
    if _caused_by(error, RecursionError | ImportError):
        return False
    status = getattr(error, "status_code", None)
    if not isinstance(status, int) or is_context_full(error) or _is_spent(error):
        return False
    return status in _TRANSIENT or status >= 500


def reason(error: BaseException) -> str:
    """Return a short description of a failure, without any text from the provider."""
    for kind, words in ((ConnectionRefusedError, _REFUSED), (socket.gaierror, _UNKNOWN), (ssl.SSLError, _NO_TLS)):
        if _caused_by(error, kind):
            return words
    if any(isinstance(cause, OSError) and cause.errno in _UNREACHABLE for cause in _causes(error)):
        return _NO_ROUTE
    status = getattr(error, "status_code", None)
    if status == 408 or _caused_by(error, TimeoutError | httpx.TimeoutException):
        return "no answer in time"
    if _caused_by(error, ConnectionError | httpx.TransportError):
        return "the connection broke"
    if isinstance(status, int) and has_answered(error):
        return "rate limit (429)" if status == 429 else f"status {status}"
    return _NO_COMPLETION


def is_astray(error: BaseException) -> bool:
    """Whether an error suggests an incorrect address: no server is running, or the server is not a provider."""
    return is_transient(error) and reason(error) in _ASTRAY


def has_answered(error: BaseException) -> bool:
    """Whether a provider answered, even with an error.

    The status does not tell whether a provider answered, because litellm also assigns a status to broken connections.
    """
    return getattr(error, "litellm_response_headers", None) is not None


def place(error: BaseException) -> str | None:
    """Return the host and port of the request, or None if the error does not contain them."""
    for cause in _causes(error):
        request = vars(cause).get("request") or vars(cause).get("_request")
        # the requests in litellm's own errors are not real
        if isinstance(request, httpx.Request) and not type(cause).__module__.startswith("litellm"):
            return request.url.netloc.decode("ascii", "replace").rpartition("@")[2]
    return None


def is_filtered(error: BaseException) -> bool:
    """Whether a content filter rejected the prompt or the answer; such a rejection counts as a reply."""
    if type(error).__name__ == "ContentPolicyViolationError":  # litellm's, which is not imported here
        return True
    status = getattr(error, "status_code", None)
    if status == 403:
        return _FLAGGED.search(str(error)[:_READ]) is not None
    return status == 400 and str(_body(error).get("code")) in _FILTER_CODES


def is_context_full(error: BaseException) -> bool:
    """Whether an error states that the messages exceed the context window or leave no room for an answer."""
    status = getattr(error, "status_code", None)
    if type(error).__name__ == "ContextWindowExceededError":  # litellm's, as above
        return True
    if not isinstance(status, int) or status < 400 or status == 429:
        return False
    text = str(error)[:_READ]
    codes = " ".join(str(_body(error).get(name)) for name in ("code", "type"))
    return bool(_CONTEXT_CODES.search(f"{codes} {text}")) or (status < 500 and bool(_CONTEXT_WORDS.search(text)))


def refused_parameter(error: BaseException, names: Iterable[str]) -> str | None:
    """Return the parameter that an error rejects, or None. Parameters in a quoted request do not count."""
    if getattr(error, "status_code", None) not in (400, 422):
        return None
    named = getattr(error, "param", None) or _body(error).get("param")
    if isinstance(named, str) and named != "None":
        first = re.split(r"[.\[]", named)[0]
        return first if first in names else None
    text = str(error)[:_READ]
    for name in names if _TURNED_DOWN.search(text) else ():
        word = re.escape(name)
        phrases = [rf"['\"`]{word}['\"`](?!\s*:)", rf": ?{word}\W*$", rf"\bsupport (?:parameter )?{word}\b"]
        phrases.append(rf"\b{word}\b(?!['\"`]?\s*:)" if "_" in name else rf"\b{word} (?:is|parameter)\b")
        if re.search("|".join(phrases), text):
            return name
    return None


def was_refused(error: BaseException) -> bool:
    """Whether a failed request was rejected and certainly not billed.

    A provider may bill an answer that was lost because of a timeout, a broken connection, an unreadable reply or a
    gateway's error. A provider may also bill for a filtered prompt: Azure bills for every prompt that its filter reads.
    """
    if isinstance(error, WireError):
        return error.unbilled
    if reason(error) in _NEVER_SENT:
        return True
    if is_filtered(error):
        return False
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return False
    if 400 <= status < 500:
        return status != 408
    return status in _UNBILLED and has_answered(error)


def explain(
    error: BaseException, model: str, requests: int, key_hint: str, params: Iterable[str], *, answered: bool
) -> ModelError | UsageError | BudgetExhausted:
    """Return the error to raise in place of a provider's error.

    The returned error is a UsageError if the user must fix the problem, BudgetExhausted if the account has no credit,
    and ModelError otherwise. `requests`: the number of requests sent. `key_hint`: advice on the key. `params`: the
    parameters sent. `answered`: whether the model has answered before, so that a 403 is a refusal of this prompt alone.
    """
    status = getattr(error, "status_code", None)
    detail = one_line(error)
    if _is_spent(error):
        return BudgetExhausted(f"{model}: the credit or budget of the account is exhausted. {detail}")
    if status == 401 or (status == 403 and not answered):
        return UsageError(f"{model}: access refused ({status}); {key_hint}. {detail}")
    if status == 404:
        where = place(error)
        below = f", or the path in the address is wrong ({where})" if where else ""
        return UsageError(f"{model}: the provider has no such model (404){below}. {detail}")
    if parameter := refused_parameter(error, set(params) - {"model"}):
        return ParameterRefusedError(
            f"{model}: the provider rejects the parameter {parameter}: remove or change it. {detail}"
        )
    if _caused_by(error, ImportError):
        return UsageError(f"{model}: this provider requires a package that is not installed. {detail}")
    final = isinstance(status, int) and 400 <= status < 500 and not is_transient(error)
    return ModelError(
        f"{model}: no answer after {count(requests, 'request')}. {detail}",
        retries=max(requests - 1, 0),
        refusal=f"{status}: {_VARYING.sub('#', detail)[:_GIST]}" if final else None,
    )


def _caused_by(error: BaseException, kind: type[BaseException] | UnionType) -> bool:
    return any(isinstance(cause, kind) for cause in _causes(error))


def _is_spent(error: BaseException) -> bool:
    """Whether an account's credit or a proxy's budget is exhausted, so that waiting would not help."""
    status = getattr(error, "status_code", None)
    if not isinstance(status, int) or not 400 <= status < 500:
        return False
    codes = {str(_body(error).get(name)) for name in ("code", "type")}
    return status == 402 or bool(codes & _SPENT_CODES) or _SPENT.search(str(error)[:_READ]) is not None


def _body(error: BaseException) -> dict[str, Any]:
    body: Any = getattr(error, "body", None)
    return body if isinstance(body, dict) else {}


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
