"""Conditions for repeating a request, and the logged reasons."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.agent.models.network.redaction import redact
from repair_bench.agent.models.retry import RetryPolicy, retry_after
from repair_bench.coroutines import run_to_end
from repair_bench.traces.faults import Fault


def waits_of(policy: RetryPolicy) -> list[float]:
    """Return the waits of a policy if every request fails at once, without sleeping."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def fail() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        run_to_end(policy.retrying(lambda _: True, timeout=600, asking=lambda: 0.0).copy(sleep=sleep)(fail))
    return waits


def test_default_retries_outlast_a_quota_within_budget():
    policy = RetryPolicy()
    for _ in range(50):
        waits = waits_of(policy)
        assert 120 < sum(waits) <= policy.budget
        assert all(1 <= wait <= policy.longest_wait for wait in waits)
        assert len(waits) <= 16


def test_smaller_budget_shortens_waits_only():
    assert RetryPolicy.of_patience(300) == RetryPolicy()
    assert RetryPolicy.of_patience(900) == RetryPolicy(budget=900)
    for _ in range(20):
        waits = waits_of(RetryPolicy.of_patience(3))
        assert 1.2 < sum(waits) <= 3
        assert len(waits) >= 5
    assert waits_of(RetryPolicy.of_patience(0)) == []


def test_waits_are_jittered():
    assert waits_of(RetryPolicy())[:4] != waits_of(RetryPolicy())[:4]


def test_waiting_for_a_quota_does_not_use_the_retry_budget():
    tries = 0

    async def wait_for_a_turn_and_fail() -> None:
        nonlocal tries
        tries += 1
        await asyncio.sleep(0.005)
        raise TimeoutError

    async def sleep(_: float) -> None:
        """Sleeps for the requested time."""

    policy = RetryPolicy(first_wait=0.001, longest_wait=0.001, budget=0.05)
    retrying = policy.retrying(lambda _: True, timeout=0.05, asking=lambda: 0.0).copy(sleep=sleep)
    with pytest.raises(TimeoutError):
        run_to_end(retrying(wait_for_a_turn_and_fail))
    assert tries >= 50  # 20 turns take as long as budget and timeout together


class Refusal(Fault):
    def __init__(self, headers: dict[str, str]) -> None:
        super().__init__("refused")
        self.litellm_response_headers = headers


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "7", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(headers: dict[str, str], seconds: float | None):
    assert retry_after(Refusal(headers)) == seconds


@given(before=st.text(), after=st.text(), key=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8))
def test_no_key_survives_redaction(before: str, after: str, key: str):
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SOME_PROVIDER_API_KEY", key)
        assert key not in redact(before + key + after).replace("[redacted]", "")


def test_ordinary_words_and_short_values_survive_redaction(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")

    assert redact("this is false, see http://host/v1") == "this is false, see http://host/v1"


def test_credentials_in_a_url_are_redacted():
    assert redact("at http://me:word@host:8000/v1") == "at http://[redacted]@host:8000/v1"
