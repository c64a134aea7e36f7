"""The retry policy for requests to providers; no other layer retries."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential, wait_random_exponential

from repair_bench.log import log


@dataclass(frozen=True)
class RetryPolicy:
    """Exponential backoff with jitter. All fields are durations in seconds and at least 0.

    Quotas often apply per minute, so the default policy retries for several minutes. A wait is drawn uniformly between
    half the exponential term and the full term, but is at least as long as the server's Retry-After.
    """

    first_wait: float = 2.0
    """The maximum wait before the first retry; it doubles with each further retry."""
    longest_wait: float = 60.0
    longest_retry_after: float = 120.0
    """The maximum value of Retry-After; larger values are reduced to this maximum."""
    budget: float = 300.0
    """The maximum total waiting time, in seconds, between the requests for one completion. The request is not repeated
    if the next wait would exceed this maximum."""

    @classmethod
    def of_patience(cls, seconds: float) -> RetryPolicy:
        """Return a policy with a budget of `seconds`. If `seconds` is below the default budget, each wait is
        proportionally shorter.
        """
        share = min(1.0, seconds / cls.budget)
        return cls(cls.first_wait * share, cls.longest_wait * share, cls.longest_retry_after, seconds)

    def retrying(
        self,
        transient: Callable[[BaseException], bool],
        timeout: float,
        asking: Callable[[], float],
        *,
        hopeless: Callable[[BaseException], bool] = lambda _: False,
        on_failure: Callable[[BaseException], None] = lambda _: None,
    ) -> AsyncRetrying:
        """Return a tenacity object that retries after `transient` exceptions and eventually raises the last exception.

        `asking`: a function that returns the time spent on requests so far. Because a provider may hang, the total time
        of requests and waits is limited too. Once the total time exceeds `budget` plus one `timeout`, no further
        request is sent. Time spent waiting for a quota is not included. `hopeless`: whether to give up after a failure.
        `on_failure`: called before each retry.
        """
        half = {"multiplier": self.first_wait / 2, "max": self.longest_wait / 2}
        backoff = wait_exponential(**half) + wait_random_exponential(**half)

        def wait(state: RetryCallState) -> float:
            return max(backoff(state), min(retry_after(_failure(state)) or 0.0, self.longest_retry_after))

        def stop(state: RetryCallState) -> bool:
            waited = state.idle_for + state.upcoming_sleep
            return hopeless(_failure(state)) or waited >= self.budget or waited + asking() > self.budget + timeout

        def before_sleep(state: RetryCallState) -> None:
            error = _failure(state)
            log.warning(
                "retry",
                # not the provider's text, which may quote the request
                reason=getattr(error, "kind", type(error).__name__),
                status=getattr(error, "status_code", None),
                failures=state.attempt_number,
                wait_seconds=round(state.upcoming_sleep, 1),
            )
            on_failure(error)

        return AsyncRetrying(
            retry=retry_if_exception(transient), wait=wait, stop=stop, before_sleep=before_sleep, reraise=True
        )


def _failure(state: RetryCallState) -> BaseException:
    error = state.outcome.exception() if state.outcome else None
    assert error is not None  # tenacity only waits and stops after failures
    return error


def retry_after(error: BaseException) -> float | None:
    """Return the value of Retry-After in seconds (RFC 9110, section 10.2.3), or None."""
    if hasattr(error, "retry_after"):
        stated: float | None = error.retry_after
        return stated
    headers = getattr(error, "litellm_response_headers", None)
    headers = headers or getattr(getattr(error, "response", None), "headers", None) or {}
    values = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    try:
        if "retry-after-ms" in values:
            return max(0.0, float(values["retry-after-ms"]) / 1000)
        return max(0.0, float(values["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        return _seconds_until(values["retry-after"]) if "retry-after" in values else None


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return None
