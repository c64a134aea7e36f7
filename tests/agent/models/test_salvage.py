"""A completed reply is billed, so it is kept whatever its types; unreadable ones are requested three times."""

import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from asking import ask, ask_often
from server.scripted import USAGE, Reply, answer, html

from repair_bench.agent.models.network.http_limits import Exchange, UnreadableReplyError, _Bounded
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.coroutines import run_to_end
from repair_bench.traces.faults import ModelError, UsageError
from repair_bench.traces.record.records import Completion

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

PATIENT = RetryPolicy(first_wait=0.01, longest_wait=0.02, budget=1.0)
BODY = answer("ok").body


def reply(**fields: Any) -> Reply:
    return Reply(json.dumps({**json.loads(BODY), **fields}).encode())


def choice(**fields: Any) -> dict[str, Any]:
    return {**json.loads(BODY)["choices"][0], **fields}


def message(**fields: Any) -> Reply:
    return reply(choices=[choice(message={"role": "assistant", "content": "ok", **fields})])


def coded(body: bytes) -> Reply:
    return Reply(body, headers={"Content-Encoding": "gzip"})


CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
KEPT = {
    "usage is a list": reply(usage=[1, 2]),
    "usage is a string": reply(usage="many"),
    "usage is a number": reply(usage=5),
    "usage is null": reply(usage=None),
    "counts are strings": reply(usage={"prompt_tokens": "a hundred", "completion_tokens": "x"}),
    "counts are fractions": reply(usage={"prompt_tokens": 100.5, "completion_tokens": 2.5, "total_tokens": 1.5}),
    "counts are nested": reply(usage={"prompt_tokens": {"a": 1}, "completion_tokens": [1], "total_tokens": None}),
    "counts are negative": reply(usage={"prompt_tokens": -1, "completion_tokens": -2, "total_tokens": -3}),
    "details are a string": reply(usage={**USAGE, "prompt_tokens_details": "x", "completion_tokens_details": 5}),
    "details are a list": reply(usage={**USAGE, "prompt_tokens_details": [1]}),
    "content of parts": message(content=[{"type": "text", "text": "o"}, {"type": "text", "text": "k"}]),
    "content of strings": message(content=["o", "k"]),
    "content of one part": message(content={"type": "text", "text": "ok"}),
    "content with thoughts": message(content=[{"type": "thinking", "text": "hm"}, {"type": "text", "text": "ok"}]),
    "tool calls are a string": message(tool_calls="x"),
    "tool calls with numbers": message(tool_calls=[{**CALL, "id": 1}]),
    "arguments are an object": message(tool_calls=[{**CALL, "function": {"name": "f", "arguments": {"a": 1}}}]),
    "annotations are a string": message(annotations="x"),
    "provider's fields are a string": message(provider_specific_fields="x"),
    "role is a number": message(role=5),
    "message is a string": reply(choices=[choice(message="ok")]),
    "no finish reason": reply(choices=[{"message": {"content": "ok"}}]),
    "finish reason is a list": reply(choices=[choice(finish_reason=["stop"])]),
    "finish reason is a number": reply(choices=[choice(finish_reason=5)]),
    "logprobs are a list": reply(choices=[choice(logprobs=[1])]),
    "three choices": reply(choices=[choice()] * 3),
    "first choice is null": reply(choices=[None, choice()]),
    "choices are an object": reply(choices=choice()),
    "text of an old completion": reply(choices=[{"index": 0, "text": "ok"}]),
    "id is a number": reply(id=5),
    "time is a string": reply(created="now"),
    "model is a number": reply(model=5),
    "tier is a number": reply(service_tier=5),
    "announced as text": Reply(BODY, content_type="text/plain"),
    "announced as an image": Reply(BODY, content_type="image/png"),
    "announced as a stream": Reply(BODY, content_type="text/event-stream"),
    "announced as nothing": Reply(BODY, content_type=""),
    "byte order mark": Reply(b"\xef\xbb\xbf" + BODY),
    "UTF-16": Reply(BODY.decode().encode("utf-16")),
    "something before it": Reply(b")]}',\n" + BODY),
    "something after it": Reply(BODY + b"\r\n0\r\n--boundary--"),
    "twice": Reply(BODY + BODY),
    "gzip of several members": coded(gzip.compress(BODY[:50]) + gzip.compress(BODY[50:])),
    "gzip with something after it": coded(gzip.compress(BODY) + b"\0\0\0"),
    "gzip without its end": coded(gzip.compress(BODY)[:-8]),
    "gzip that is not announced": Reply(gzip.compress(BODY)),
    "announced as gzip": coded(BODY),
    "a connection that closes early": Reply(BODY + b" " * 100, cut=len(BODY)),
}


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("name", KEPT)
def test_malformed_reply_is_kept_without_a_repeat(name: str) -> None:
    got, server = ask([KEPT[name]], retry=PATIENT)
    assert isinstance(got, Completion), got
    assert got.text == "ok"
    assert len(server.asked) == got.requests == 1
    if "usage" in name or "counts" in name:
        assert (got.usage, got.cost_usd) == (None, None)


UNREADABLE = {
    "content is a number": message(content=5),
    "content is an object": message(content={"a": 1}),
    "no choices": reply(choices=[]),
    "no message": reply(choices=[choice(message=None)]),
    "another object": Reply(b'{"data": 1}'),
    "no JSON": Reply(b"well"),
    "nothing": Reply(),
    "cut": Reply(BODY, cut=len(BODY) // 2),
    "a stream": Reply(b'data: {"object": "chat.completion.chunk", "choices": [{"delta": {"content": "o"}}]}\n\n'),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_reply_is_requested_at_most_three_times(name: str) -> None:
    got, server = ask([UNREADABLE[name]], retry=PATIENT)
    assert isinstance(got, ModelError | UsageError), got
    assert 1 <= len(server.asked) <= 3


@pytest.mark.parametrize("pieces", [1, 2, 7], ids=lambda n: f"{n} pieces")
def test_compressed_members_are_joined_up_to_the_limit(pieces: int) -> None:
    class Body(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            whole = b"".join(gzip.compress(bytes([letter]) * 1000) for letter in b"abc")
            size = -(-len(whole) // pieces)
            for start in range(0, len(whole), size):
                yield whole[start : start + size]

    async def read(limit: int) -> bytes:
        return b"".join([piece async for piece in _Bounded(Body(), Exchange(limit))])

    assert run_to_end(read(3000)) == b"a" * 1000 + b"b" * 1000 + b"c" * 1000
    for limit in (2999, 2000, 1500, 500):
        with pytest.raises(UnreadableReplyError, match="longer than"):
            run_to_end(read(limit))


def test_error_in_a_success_reply_is_an_error() -> None:
    overloaded = reply(choices=None, error={"message": "overloaded", "code": 503})
    unknown = Reply(b'{"error": {"message": "no such model", "code": 404}}')
    got, server = ask([*[overloaded] * 5, answer("ok")], retry=PATIENT)
    assert isinstance(got, Completion)
    assert len(server.asked) == 6
    got, server = ask([unknown], retry=PATIENT)
    assert "has no such model" in str(got)
    assert len(server.asked) == 1


def test_gateway_page_is_retried_after_an_answer() -> None:
    results, _ = ask_often([answer("ok"), *[html()] * 5, answer("ok")], times=2, retry=PATIENT)
    assert [result.requests for result in results] == [1, 6]
