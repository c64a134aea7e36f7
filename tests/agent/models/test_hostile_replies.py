"""Hostile replies of a provider: each quickly becomes an answer or a fault, and no key is sent elsewhere."""

import gzip
import json
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from asking import KEY, REQUEST, ask
from server.scripted import USAGE, ReceivedRequest, Reply, ScriptedServer, answer, redirect, refused

from repair_bench.agent.models.network.http_limits import MAX_REPLY
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.traces.faults import ModelError, UsageError
from repair_bench.traces.record.records import Completion

pytestmark = pytest.mark.usefixtures("warm")

PATIENT = RetryPolicy(first_wait=0.05, longest_wait=0.1, budget=30.0)
"""Replies that must not be repeated would take half a minute if they were."""
QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.02, budget=0.3)
HEADERS = {
    "openai/gpt-4.1": "authorization",
    "anthropic/claude-sonnet-4-5": "x-api-key",
    "gemini/gemini-2.5-flash": "x-goog-api-key",
    "mistral/mistral-large-latest": "authorization",
}
"""The header with the key."""
TESTS = Path(__file__).parents[2]
OPTIONS: dict[str, Any] = {"retry": PATIENT, "timeout_seconds": 10.0}


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize("status", [302, 307])
def test_redirect_to_another_host_is_refused_by_name(name: str, status: int):
    with ScriptedServer([answer("stolen")], host="127.0.0.2") as other:
        began = time.monotonic()
        error, server = ask([redirect(f"http://{other.place}/v1", status)], name=name, **OPTIONS)

    assert isinstance(error, ModelError), error
    assert other.place in str(error)
    assert KEY not in str(error)
    assert other.asked == []
    assert len(server.asked) == 1
    assert server.asked[0].headers[HEADERS[name]].endswith(KEY)  # it was received at the right address
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "location", ["//127.0.0.2:9/v1", "http://localhost:9/v1", "http://[::1", "file:///etc/passwd", "https://127.0.0.1"]
)
def test_no_spelling_of_another_host_is_followed(location: str):
    error, server = ask([redirect(location)], **OPTIONS)

    assert isinstance(error, ModelError), error
    assert "redirects to" in str(error)
    assert len(server.asked) == 1


def test_a_redirect_on_the_same_host_is_followed():
    def script(asked: ReceivedRequest) -> Reply:
        return answer("ok") if asked.path.endswith("/there") else redirect("/there")

    result, server = ask(script, **OPTIONS)

    assert isinstance(result, Completion), result
    assert [asked.path for asked in server.asked] == ["/v1/chat/completions", "/there"]


def deep(levels: int) -> dict[str, Any]:
    nested: dict[str, Any] = {"tokens": 1}
    for _ in range(levels):
        nested = {"more": nested}
    return nested


def raw(text: str, **options: Any) -> Reply:
    """Return a reply with raw counts, which `json.dumps` cannot produce."""
    return Reply(answer("ok").body.replace(json.dumps(USAGE).encode(), text.encode()), **options)


def zipped(body: bytes, **options: Any) -> Reply:
    return Reply(body, headers={"Content-Encoding": "gzip"}, **options)


def bomb(mebibytes: int) -> bytes:
    """Return a gzip stream that unpacks to this number of mebibytes of spaces."""
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join([*(pack.compress(b" " * 2**20) for _ in range(mebibytes)), pack.flush()])


@dataclass(frozen=True)
class Hostile:
    """A reply and the expected result. `requests`: the maximum number of requests."""

    reply: Callable[[], Reply]
    holds: Callable[[Any], bool]
    requests: tuple[int, int] = (1, 1)
    options: dict[str, Any] = field(default_factory=dict)


def fault(*words: str) -> Callable[[Any], bool]:
    """Expect a model error, or a wrong-address error if the address returned nothing else."""
    kinds = ModelError | UsageError
    return lambda got: isinstance(got, kinds) and all(word in str(got) for word in words) and len(str(got)) < 600


def said(text: str = "ok", **fields: Any) -> Callable[[Any], bool]:
    def holds(got: Any) -> bool:
        return isinstance(got, Completion) and got.text == text and all(getattr(got, n) == v for n, v in fields.items())

    return holds


def counted(got: Any) -> bool:
    """Expect the price table's cost of the valid counts."""
    return bool(said()(got) and got.cost_usd == pytest.approx(100 * 2e-6 + 20 * 8e-6))


GIVEN_UP = {"retry": QUICK, "timeout_seconds": 2.0}
"""For transient errors: the request is repeated, and then given up."""
HOSTILE = {
    "gzip bomb": Hostile(lambda: zipped(bomb(64)), fault("longer than 8 MiB")),
    "long body": Hostile(lambda: Reply(b" " * (MAX_REPLY + 1)), fault("longer than 8 MiB")),
    "long error": Hostile(lambda: zipped(bomb(64), status=500), fault("longer than 8 MiB")),
    "endless body": Hostile(lambda: Reply(b" " * 2**20, endless=True), fault("longer than 8 MiB")),
    "slow drip": Hostile(
        lambda: Reply(b" ", endless=True, pause=0.02),
        fault("Timeout"),
        (1, 9),
        {"retry": QUICK, "timeout_seconds": 0.5},
    ),
    "gzip that was asked for": Hostile(lambda: zipped(gzip.compress(answer("ok").body)), counted),
    "gzip that is none": Hostile(lambda: zipped(b"{}"), fault(), (2, 99), GIVEN_UP),
    "a coding nobody asked for": Hostile(
        lambda: Reply(b"x", headers={"Content-Encoding": "br"}), fault("'br'", "not requested")
    ),
    "huge header": Hostile(
        lambda: Reply(answer("ok").body, headers={"X-Much": "x" * 100_000}), fault(), (2, 99), GIVEN_UP
    ),
    "choices of another kind": Hostile(lambda: Reply(b'{"choices": {"0": 1}}'), fault(), (2, 99), GIVEN_UP),
    "deep body": Hostile(lambda: Reply(b"[" * 100_000), fault(), (1, 99), GIVEN_UP),
    "tool calls only": Hostile(
        lambda: answer(None, tool_calls=[{"id": "1", "type": "function", "function": {"name": "f"}}]), said("")
    ),
    "half a surrogate": Hostile(lambda: answer("a\ud800b"), said("a\ud800b")),
    "escape in the content": Hostile(lambda: answer("\x1b]0;owned\x07"), said("\x1b]0;owned\x07")),
    "escape in an error": Hostile(
        lambda: refused(400, "no \x1b[2J\x1b]0;owned\x07 \u202egnorw"),
        lambda got: fault("no")(got) and str(got).isprintable(),
    ),
    "escape in the model's name": Hostile(
        lambda: answer("ok", model="\x1b[31m" + "m" * 10_000),
        lambda got: said()(got) and got.served_by.isprintable() and len(got.served_by) <= 200,
    ),
    "negative cost": Hostile(lambda: answer("ok", usage={**USAGE, "cost": -5}), counted),
    "cost NaN": Hostile(lambda: raw('{"prompt_tokens": 100, "completion_tokens": 20, "cost": NaN}'), counted),
    "cost 1e999": Hostile(lambda: raw('{"prompt_tokens": 100, "completion_tokens": 20, "cost": 1e999}'), counted),
    "cost beyond reason": Hostile(lambda: answer("ok", usage={**USAGE, "cost": 1e30}), counted),
    "cost in a header": Hostile(lambda: Reply(answer("ok").body, headers={"x-litellm-response-cost": "-3"}), counted),
    "deep usage": Hostile(lambda: answer("ok", usage={**USAGE, "details": deep(300)}), counted),
    "deeper usage": Hostile(
        lambda: answer("ok", usage={**USAGE, "details": deep(850)}), lambda got: counted(got) or fault("recursion")(got)
    ),
    "usage of many names": Hostile(
        lambda: answer("ok", usage={**USAGE, **{f"n{i}": i for i in range(10_000)}}),
        lambda got: said()(got) and len(got.usage) <= 64,
    ),
    "negative counts": Hostile(
        lambda: answer("ok", usage={"prompt_tokens": -1, "completion_tokens": -9, "total_tokens": -10}),
        said(usage=None, cost_usd=None),
    ),
    "negative cached tokens": Hostile(
        lambda: answer("ok", usage={**USAGE, "prompt_tokens_details": {"cached_tokens": -(10**9)}}), counted
    ),
    "counts beyond reason": Hostile(
        lambda: answer("ok", usage={"prompt_tokens": 10**30, "completion_tokens": 1, "total_tokens": 1}),
        said(usage=None, cost_usd=None),
    ),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_reply_is_an_answer_or_a_fault(name: str):
    hostile = HOSTILE[name]
    reply = hostile.reply()
    began = time.monotonic()
    got, server = ask([reply], **{**OPTIONS, **hostile.options})
    seconds = time.monotonic() - began

    assert hostile.holds(got), got
    assert hostile.requests[0] <= len(server.asked) <= hostile.requests[1]
    assert seconds < 15
    if isinstance(got, Completion):
        json.dumps(vars(got), allow_nan=False)  # it can be recorded


def test_lone_surrogate_is_sent_as_valid_utf_8():
    told = replace(REQUEST, messages=[{"role": "assistant", "content": "a\ud800b"}], attempt=1)
    result, server = ask([answer("ok")], told, **OPTIONS)

    assert isinstance(result, Completion), result
    (sent,) = server.asked[0].messages
    assert (sent["content"][0], sent["content"][-1], set(sent["content"][1:-1])) == ("a", "b", {"\ufffd"})


CHILD = """
import asyncio, resource, sys
from asking import REQUEST
from repair_bench.agent.models import ProviderSettings
from repair_bench.agent.models.network.client import LiteLLMModel

async def ask(model):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        said = (await model.complete(REQUEST)).text
    except Exception as error:
        said = str(error)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, said[:200], flush=True)

async def main():
    model = LiteLLMModel("openai/gpt-4.1", ProviderSettings(api_base=sys.argv[1], retry_for_seconds=0))
    await ask(model)
    await ask(model)
    await model.close()

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["spaces", "objects"])
def test_a_long_reply_takes_a_bounded_memory(kind: str):
    """`spaces`: 400 MiB after decompression. `objects`: the maximum length, filled with empty objects."""
    if kind == "spaces":
        long = zipped(bomb(400))
    else:
        pad = b",".join([b"{}"] * (MAX_REPLY // 3 - 1_000))
        long = zipped(gzip.compress(answer("ok").body[:-1] + b', "pad": [' + pad + b"]}", 1))
    with ScriptedServer([answer("ok"), long]) as server:
        done = subprocess.run(
            [sys.executable, "-c", CHILD, server.url],
            cwd=TESTS,
            capture_output=True,
            text=True,
            timeout=600,
            check=True,
        )
    warm, taken = done.stdout.splitlines()
    assert warm.endswith(" ok")
    kibibytes, _, words = taken.partition(" ")
    assert "longer than 8 MiB" in words if kind == "spaces" else words == "ok"
    assert int(kibibytes) < (200 if kind == "spaces" else 700) * 1024
