"""What a provider's error means: try again, tell the user, or give up on this completion."""

from __future__ import annotations

from typing import Any

from repair_bench.agent.models.redaction import one_line
from repair_bench.agent.models.wire import RedirectRefusedError
from repair_bench.analysis.notices import count
from repair_bench.traces.faults import ModelError, UsageError

_TRANSIENT = {408, 409, 425, 429}  # and every 5xx; litellm gives connections that broke a 500


_UNBILLED = {500, 503, 529}  # a gateway's 502 and 504 may hide an answer that was made, and billed, behind it


class MalformedResponseError(Exception):
    """The server answered with something that is no completion."""


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed later: rate limits, timeouts, broken connections, server errors."""
    if isinstance(error, TimeoutError | ConnectionError | MalformedResponseError):
        return True
    if _nested_too_deep(error):
        return False
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and (status in _TRANSIENT or status >= 500) and not _out_of_credit(error)


def was_refused(error: BaseException) -> bool:
    """Whether a request that ended so was turned down, and is not billed.

    Not so for what may have been answered and lost: a timeout, a connection that broke, an answer that is no
    completion, a gateway's error.
    """
    if isinstance(error, RedirectRefusedError):
        return True
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return False
    if 400 <= status < 500:
        return status != 408
    # litellm gives a broken connection a 500 as well, but no headers
    return status in _UNBILLED and getattr(error, "litellm_response_headers", None) is not None


def explain(error: BaseException, model: str, requests: int, key_hint: str) -> ModelError | UsageError:
    """The error to raise in place of a provider's: UsageError for what the user must mend, else ModelError.

    `requests` is how many were sent; `key_hint` says what to do about the key.
    """
    status = getattr(error, "status_code", None)
    detail = one_line(error)
    if status in (401, 403):
        return UsageError(f"{model}: access refused ({status}); {key_hint}. {detail}")
    if status == 404:
        return UsageError(f"{model}: the provider knows no such model (404). {detail}")
    if status == 402 or _out_of_credit(error):
        return UsageError(f"{model}: the account is out of credit. {detail}")
    if isinstance(error, ImportError):
        return UsageError(f"{model}: this provider needs a package that is not installed. {detail}")
    return ModelError(f"{model}: no answer after {count(requests, 'request')}. {detail}", retries=max(requests - 1, 0))


def _nested_too_deep(error: BaseException | None) -> bool:
    """Whether a reply was nested deeper than Python reads; the next one would be made, and billed, for nothing."""
    while error is not None and not isinstance(error, RecursionError):
        error = error.__cause__ or error.__context__
    return error is not None


def _out_of_credit(error: BaseException) -> bool:
    """OpenAI answers 429 for this as well, with a code of its own; waiting does not help."""
    body: Any = getattr(error, "body", None)
    return isinstance(body, dict) and body.get("code") == "insufficient_quota"
