"""The model client against a real server on loopback, through the real litellm."""

import asyncio
import gc
import logging
import threading
import traceback
import warnings
from dataclasses import replace
from typing import Any

import pytest
from asking import KEY, REQUEST, answer_of, ask, ask_often
from server.scripted import (
    USAGE,
    ReceivedRequest,
    Reply,
    Script,
    ScriptedServer,
    answer,
    cut_mid_body,
    hang,
    html,
    invalid_json,
    most_in_flight,
    rate_limited,
    refused,
    reset,
    server_error,
    unauthorized,
    unsupported,
)

from repair_bench.agent.models import Model, ProviderSettings
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.coroutines import run_to_end
from repair_bench.traces.faults import ContextFull, ModelError, UsageError
from repair_bench.traces.record.records import Completion

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

QUICK = RetryPolicy(first_wait=0.02, longest_wait=0.08, longest_retry_after=0.4, budget=1.0)
EMPTY_CHOICES = Reply(b'{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}')
UPSTREAM_ERROR = Reply(b'{"error": {"message": "upstream is away", "code": 502}}')


def create(name: str, **settings: Any) -> Model:
    return LiteLLMModel(name, ProviderSettings(**settings))


def completion(script: Script, **options: Any) -> tuple[Completion, list[ReceivedRequest]]:
    result, server = ask(script, **{"retry": QUICK, "timeout_seconds": 10.0, **options})
    if isinstance(result, Exception):
        raise result
    return result, server.asked


def failure(script: Script, **options: Any) -> tuple[Exception, list[ReceivedRequest]]:
    result, server = ask(script, **{"retry": QUICK, "timeout_seconds": 10.0, **options})
    assert isinstance(result, Exception), result
    return result, server.asked


def test_answer_has_text_counts_latency_and_params():
    result, asked = completion([answer("```python\npass\n```", delay=0.05)], request=replace(REQUEST, seed=2**62 + 5))

    assert result.text == "```python\npass\n```"
    assert result.usage is not None
    assert USAGE.items() <= result.usage.items()
    assert result.latency_seconds is not None
    assert result.latency_seconds >= 0.05
    assert (result.requests, result.cached) == (1, False)
    assert result.params == {"model": "openai/gpt-4.1", "temperature": 0.0, "max_tokens": 64, "seed": 5}
    (sent,) = asked
    assert sent.messages == [{"role": "user", "content": "Prepare a Bell state."}]
    assert {name: sent.body[name] for name in ("temperature", "max_tokens", "seed")} == {
        name: result.params[name] for name in ("temperature", "max_tokens", "seed")
    }
    assert sent.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("content", "finish_reason"), [("", "stop"), (None, "stop"), ("def f(", "length")], ids=["empty", "null", "cut"]
)
def test_an_empty_or_truncated_answer_is_an_answer(content: str | None, finish_reason: str):
    result, asked = completion([answer(content, finish_reason=finish_reason)])

    assert result.text == (content or "")
    assert len(asked) == result.requests == 1


def test_none_is_not_sent():
    result, asked = completion([answer("ok")], request=replace(REQUEST, temperature=None, max_tokens=None))
    assert set(result.params) == {"model", "seed"}
    assert not {"temperature", "max_tokens", "max_completion_tokens"} & set(asked[0].body)


@pytest.mark.parametrize(
    "fault",
    [
        rate_limited(),
        server_error(500),
        server_error(502),
        server_error(503),
        server_error(504),
        server_error(529),
        refused(408, "timeout"),
        refused(409, "conflict"),
        cut_mid_body(),
        reset(),
        html(),
        invalid_json(),
        EMPTY_CHOICES,
        UPSTREAM_ERROR,
        Reply(b"[]"),
        Reply(b""),
    ],
    ids=lambda reply: f"{reply.status}-{reply.body[:24].decode() or 'nothing'}",
)
def test_transient_error_is_repeated_and_counted(fault: Reply):
    result, asked = completion([fault, answer("ok")])

    assert result.text == "ok"
    assert result.requests == len(asked) == 2
    assert asked[0].body == asked[1].body


def test_hanging_request_is_repeated():
    result, asked = completion([hang(), answer("ok")], timeout_seconds=0.4)

    assert result.requests == len(asked) == 2
    assert result.latency_seconds is not None
    assert result.latency_seconds < 0.4


def test_server_that_always_hangs_is_given_up():
    error, asked = failure(
        [hang()], timeout_seconds=0.3, retry=RetryPolicy(first_wait=0.01, longest_wait=0.01, budget=0.6)
    )

    assert isinstance(error, ModelError)
    assert 2 <= len(asked) <= 5


@pytest.mark.slow
def test_permanent_errors_become_a_fault_with_its_retries():
    error, asked = failure([server_error(503)])

    assert isinstance(error, ModelError)
    assert error.boundary == "model"
    assert error.retries == len(asked) - 1 >= 10
    assert asked[-1].time - asked[0].time < 10
    assert f"no answer after {len(asked)} requests" in str(error)


@pytest.mark.parametrize(("stated", "waited"), [(0.3, 0.3), (3600, 0.4)], ids=["honoured", "capped"])
def test_retry_after_is_honoured_up_to_a_maximum(stated: float, waited: float):
    _, asked = completion([rate_limited(retry_after=stated), answer("ok")])

    assert waited <= asked[1].time - asked[0].time < 60


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (unauthorized(), "OPENAI_API_KEY"),
        (refused(403, "your country is not supported"), "OPENAI_API_KEY"),
        (refused(404, "The model `gpt-4.1` does not exist", code="model_not_found"), "no such model"),
    ],
)
def test_usage_error_stops_at_once_with_one_line(reply: Reply, words: str):
    error, asked = failure([reply])

    assert isinstance(error, UsageError)
    assert len(asked) == 1
    assert words in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "reply",
    [
        refused(400, "messages must alternate"),
        refused(422, "unprocessable"),
    ],
)
def test_permanent_refusal_is_a_fault_without_repeats(reply: Reply):
    error, asked = failure([reply])

    assert isinstance(error, ModelError)
    assert error.retries == 0
    assert len(asked) == 1


def test_full_context_is_an_outcome_not_a_fault():
    error, asked = failure(
        [refused(400, f"This model's maximum context length is 8192 tokens. {KEY}", code="context_length_exceeded")]
    )

    assert isinstance(error, ContextFull)
    assert "maximum context length is 8192 tokens" in str(error)
    assert KEY not in str(error)
    assert len(asked) == 1


@pytest.mark.parametrize("reply", [unauthorized(f"bad key {KEY}"), server_error(), refused(400, f"no: {KEY}")])
def test_no_error_or_log_contains_the_key(reply: Reply, caplog: pytest.LogCaptureFixture):
    reply = Reply(reply.body.replace(b"server", KEY.encode()), status=reply.status)
    error, _ = failure([reply])

    assert KEY not in "".join(traceback.format_exception(error))
    assert error.__cause__ is None
    assert error.__context__ is None
    assert "[redacted]" in str(error)
    assert KEY not in caplog.text


def test_a_missing_key_is_named_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    model = create("openai/gpt-4.1")

    with pytest.raises(
        UsageError,
        match=r"openai/gpt-4\.1 needs OPENAI_API_KEY: set it in the environment or \.env",
    ):
        run_to_end(answer_of(model, REQUEST))


@pytest.mark.parametrize("name", ["house-model", "some-lab/some-model"])
def test_custom_server_needs_no_key_or_provider(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.delenv("OPENAI_API_KEY")
    _, asked = completion([answer("ok")], name=name)

    assert asked[0].headers["authorization"] == "Bearer unused"
    assert asked[0].body["model"] == name


@pytest.mark.parametrize("param", ["temperature", "seed"])
def test_refused_parameter_is_dropped_permanently(param: str):
    def script(asked: ReceivedRequest) -> Reply:
        return unsupported(param) if param in asked.body else answer("ok")

    results, server = ask_often(script, times=2, retry=QUICK)

    assert [r.requests for r in results if isinstance(r, Completion)] == [2, 1]
    assert all(param not in r.params for r in results if isinstance(r, Completion))
    assert len(server.asked) == 3


def test_refused_token_limit_is_sent_by_its_newer_name():
    def script(asked: ReceivedRequest) -> Reply:
        return unsupported("max_tokens") if "max_tokens" in asked.body else answer("ok")

    result, asked = completion(script, name="openai/house-model")

    assert asked[-1].body["max_completion_tokens"] == result.params["max_completion_tokens"] == 64
    assert "max_tokens" not in result.params


def test_refusal_of_an_absent_parameter_is_a_fault():
    script = [unsupported("temperature"), unsupported("temperature"), answer("ok")]
    (first, second), server = ask_often(script, times=2, retry=QUICK)

    assert isinstance(first, ModelError)
    assert isinstance(second, Completion)
    assert second.params["temperature"] == 0.0
    assert len(server.asked) == 3


def test_parameters_in_a_quoted_request_are_not_refused():
    quoted = refused(400, "invalid upstream reply to {'temperature': 0.0, 'max_tokens': 64, 'seed': 1}")
    (first, second), server = ask_often([quoted, answer("ok")], times=2, retry=QUICK)

    assert isinstance(first, ModelError)
    assert isinstance(second, Completion)
    assert "temperature" in second.params
    assert len(server.asked) == 2


def test_a_parameter_that_litellm_itself_refuses_costs_no_request():
    result, asked = completion([answer("ok")], name="openai/o3")

    assert result.requests == len(asked) == 1
    assert "temperature" not in result.params
    assert "temperature" not in asked[0].body


@pytest.mark.parametrize("called", ["scripted", "gpt-4.1"])
def test_unpriced_model_has_unknown_cost_under_any_name(called: str):
    result, _ = completion([answer("ok", model=called)], name="openai/house-model")

    assert result.cost_usd is None
    assert result.usage is not None


def test_counts_that_litellm_estimates_are_unknown():
    message = "Could not finish the message because max_tokens or model output limit was reached."
    result, _ = completion([refused(400, message)])

    assert result.text == ""
    assert result.usage is None
    assert result.cost_usd is None


def test_no_more_requests_are_in_flight_than_allowed():
    script, most = most_in_flight()

    async def main() -> None:
        model = create("openai/gpt-4.1", api_base=server.url, concurrency=3)
        await asyncio.gather(*(answer_of(model, REQUEST) for _ in range(12)))
        await model.close()

    with ScriptedServer(script) as server:
        run_to_end(main())
    assert most() == 3
    assert len(server.asked) == 12


def test_cancelled_request_frees_its_slot():
    async def main() -> Completion:
        model = create("openai/gpt-4.1", api_base=server.url, concurrency=1)
        task = asyncio.create_task(answer_of(model, REQUEST))
        assert await asyncio.to_thread(arrived.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        try:
            return await asyncio.wait_for(answer_of(model, REQUEST), 10)
        finally:
            await model.close()

    arrived = threading.Event()

    def script(asked: ReceivedRequest) -> Reply:
        arrived.set()
        return hang() if asked.number == 0 else answer("ok")

    with ScriptedServer(script) as server:
        assert run_to_end(main()).text == "ok"


@pytest.mark.slow
def test_connections_close_with_the_last_model(
    caplog: pytest.LogCaptureFixture,
):
    async def main() -> None:
        first = create("openai/gpt-4.1", api_base=server.url)
        second = create("openai/gpt-4.1-mini", api_base=server.url)
        await asyncio.gather(answer_of(first, REQUEST), answer_of(second, REQUEST))
        await first.close()
        await answer_of(second, REQUEST)
        await second.close()
        third = create("openai/gpt-4.1", api_base=server.url)
        await answer_of(third, REQUEST)
        await third.close()

    with warnings.catch_warnings(record=True) as caught, caplog.at_level(logging.WARNING):
        warnings.simplefilter("always", ResourceWarning)
        with ScriptedServer([answer("ok")]) as server:
            asyncio.run(main(), debug=True)
        gc.collect()
    assert [str(w.message) for w in caught if issubclass(w.category, ResourceWarning)] == []
    assert "Unclosed" not in caplog.text
    assert len(server.asked) == 4
    assert all(asked.body["model"] in ("gpt-4.1", "gpt-4.1-mini") for asked in server.asked)
