"""Prompt caching: the marks in Anthropic's format, and the price of cached tokens."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from asking import REQUEST, ask_at
from hypothesis import given
from hypothesis import strategies as st
from server.scripted import Reply, ScriptedServer, answer, anthropic

from repair_bench.agent.models import ProviderSettings
from repair_bench.agent.models.network.caching import marked, takes_marks
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.traces.record.records import Completion

CLAUDE = "anthropic/claude-sonnet-4-5"
READ, KEPT, FRESH, WRITTEN = 800, 100, 20, 10
CONVERSATION = [
    {"role": "system", "content": "You write programs."},
    {"role": "user", "content": "Prepare a Bell state."},
    {"role": "assistant", "content": "def f(): ..."},
    {"role": "user", "content": "It raised an error."},
]
MARK = {"type": "ephemeral"}


def claude() -> Reply:
    """Return a message with its counts; tokens read from the cache are not in `input_tokens`."""
    cached = {"cache_read_input_tokens": READ, "cache_creation_input_tokens": KEPT}
    text = {"type": "text", "text": "def f(): pass"}
    return anthropic(text, input_tokens=FRESH, output_tokens=WRITTEN, **cached)


def asked(
    name: str, reply: Reply, *, attempts_left: int = 2, **settings: Any
) -> tuple[Completion, dict[str, Any], list[dict[str, str]]]:
    """Return the completion, the body of its request, and the messages of the request afterwards."""
    request = replace(REQUEST, messages=copy.deepcopy(CONVERSATION), attempt=1, attempts_left=attempts_left)
    with ScriptedServer([reply]) as server:
        url = server.url.removesuffix("/v1") if name == CLAUDE else server.url
        (completion,) = ask_at(url, request, name=name, **settings)
    return completion, server.asked[0].body, request.messages


def marks(body: dict[str, Any]) -> list[str]:
    """Return the marked texts, the system prompt first."""
    parts = [*body.get("system", ())]
    parts += [p for m in body["messages"] if isinstance(m["content"], list) for p in m["content"]]
    assert all(part["cache_control"] == MARK for part in parts if "cache_control" in part)
    return [part["text"] for part in parts if "cache_control" in part]


def test_claude_receives_marks_on_system_prompt_and_conversation() -> None:
    completion, body, messages = asked(CLAUDE, claude())
    assert marks(body) == ["You write programs.", "It raised an error."]
    assert messages == CONVERSATION
    assert completion.text == "def f(): pass"


def test_last_attempt_reads_the_cache_without_writing_it() -> None:
    _, body, _ = asked(CLAUDE, claude(), attempts_left=1)
    assert marks(body) == ["You write programs.", "Prepare a Bell state."]


def test_settings_can_turn_marks_off() -> None:
    _, body, _ = asked(CLAUDE, claude(), prompt_cache=False)
    assert marks(body) == []


def test_openai_needs_no_marks() -> None:
    _, body, _ = asked("openai/gpt-4.1", answer("ok"))
    assert body["messages"] == CONVERSATION


def test_cached_tokens_have_their_own_count_and_price() -> None:
    completion, _, _ = asked(CLAUDE, claude())
    usage = completion.usage or {}
    assert usage["prompt_tokens"] == FRESH + READ + KEPT
    assert usage["prompt_tokens_details"]["cached_tokens"] == usage["cache_read_input_tokens"] == READ
    assert usage["prompt_tokens_details"]["cache_creation_tokens"] == usage["cache_creation_input_tokens"] == KEPT
    # Claude Sonnet's prices per million tokens: 3 USD, 0.30 read from the cache, 3.75 written to it, 15 output
    price = (FRESH * 3 + READ * 0.3 + KEPT * 3.75 + WRITTEN * 15) * 1e-6
    assert completion.cost_usd == pytest.approx(price)


def test_worst_case_includes_caching_the_whole_prompt() -> None:
    model = LiteLLMModel(CLAUDE, ProviderSettings())
    worst = model.worst_case(CONVERSATION, 64)
    assert worst.tokens is not None
    assert worst.cost_usd == pytest.approx(((worst.tokens - 64) * 3.75 + 64 * 15) * 1e-6)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"key": "claude-sonnet-4-5", "litellm_provider": "anthropic", "supports_prompt_caching": True}, True),
        ({"key": "azure_ai/claude-haiku-4-5", "litellm_provider": "azure_ai", "supports_prompt_caching": True}, True),
        ({"key": "qwen", "litellm_provider": "dashscope", "supports_prompt_caching": True,
          "cache_creation_input_token_cost": 1e-6}, True),
        ({"key": "gpt-5.6", "litellm_provider": "openai", "supports_prompt_caching": True,
          "cache_creation_input_token_cost": 5e-6}, False),
        ({"key": "gemini-2.5-flash", "litellm_provider": "gemini", "supports_prompt_caching": True}, False),
        ({"key": "claude-2", "litellm_provider": "anthropic"}, False),
        ({}, False),
    ],
)  # fmt: skip
def test_models_that_support_marks(entry: dict[str, Any], expected: bool) -> None:
    assert takes_marks(entry) is expected


@given(
    st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text(max_size=3)), max_size=8),
    st.integers(1, 4),
)
def test_marks_change_no_text(turns: list[tuple[str, str]], attempts_left: int) -> None:
    messages = [{"role": role, "content": text} for role, text in turns]
    before = copy.deepcopy(messages)
    made = marked(messages, attempts_left)
    assert messages == before
    assert [(m["role"], _text(m["content"])) for m in made] == turns
    assert sum(isinstance(m["content"], list) for m in made if m["role"] == "user") <= 1
    assert all(m["content"][0]["text"] for m in made if isinstance(m["content"], list))


def _text(content: Any) -> str:
    return content if isinstance(content, str) else content[0]["text"]
