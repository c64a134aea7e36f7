"""Any JSON from a provider is an answer that can be recorded, exported and resumed, or a named fault."""

import logging
import sys
import warnings
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.agent.models.network.client import load
from repair_bench.agent.models.network.errors import MalformedResponseError
from repair_bench.agent.models.network.redaction import CleanLog
from repair_bench.traces.record.spending import Spend, Spending, known_cost, known_usage, tokens_of
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

sys.path.insert(0, str(Path(__file__).parents[2]))
from fuzz import provider_replies

from repair_bench.coroutines import run_to_end

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
COUNTS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens", "cost", "details"), JSON)
)


@pytest.fixture(scope="module")
def litellm() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load()


@pytest.mark.slow
@given(JSON, JSON | COUNTS, JSON, JSON, JSON)
@settings(derandomize=True, max_examples=100, deadline=None)
def test_any_json_anywhere_is_an_answer_or_a_fault(litellm, content, usage, finish_reason, model, cost):
    message = SimpleNamespace(content=content)
    response = SimpleNamespace(
        choices=[SimpleNamespace(message=message, finish_reason=finish_reason)],
        usage=usage,
        model=model,
        _hidden_params={"additional_headers": {"llm_provider-x-litellm-response-cost": cost}},
    )
    try:
        completion = provider_replies.completion_of(litellm, response)
    except MalformedResponseError:
        assert content is not None
        assert not isinstance(content, str | list)
    else:
        assert isinstance(completion.text, str)


@pytest.mark.filterwarnings("ignore")
def test_thousand_fuzzed_replies(litellm, monkeypatch):
    found = Counter(provider_replies.outcome(litellm, 7, number) for number in range(1_000))

    assert not [what for what in found if what.startswith("OURS")], found
    assert found["answer"] > 300
    assert found["malformed"] > 100


@pytest.mark.slow
@given(st.lists(st.tuples(JSON, JSON | COUNTS), max_size=6))
@settings(derandomize=True, max_examples=40, deadline=None)
def test_spending_never_decreases(stored):
    spending = Spending()
    before = spending.settled
    for cost, usage in stored:
        spending.requested("k", Spend(0.5, 100))
        spending.answered("k", {"cost_usd": cost, "usage": usage})
        after = spending.settled
        assert (before.cost_usd or 0) <= (after.cost_usd or 0) < float("inf")
        assert (before.tokens or 0) <= (after.tokens or 0)
        before = after


@pytest.mark.parametrize("cost", [-5, float("nan"), float("inf"), 10**400, True, "1", {}, 1e30])
def test_run_with_impossible_stored_costs_continues(tmp_path, cost):
    async def write() -> None:
        store = RunStore.create(tmp_path / "run", Manifest.from_json({}))
        await store.note_request("k", Spend(0.25, 50))
        await store.save_completion("k", {"text": "ok", "cost_usd": cost, "usage": {"prompt_tokens": -7}})
        await store.close()

    async def resume() -> Spend:
        store = RunStore.resume(tmp_path / "run", Manifest.from_json({}))
        await store.close()
        return store.spending.total

    run_to_end(write())
    assert run_to_end(resume()) == Spend(0.25, 50)  # unknown: the worst case counts as spent


def test_only_valid_counts_of_usage_are_kept():
    given = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "cost": 0.25,
        "speed": "fast",
        "is_byok": False,
        "prompt_tokens_details": {"cached_tokens": 3, "audio_tokens": None, "more": {"text_tokens": 1}},
        "deep": provider_replies.nested(900),
        "completion_tokens_details": {"reasoning_tokens": -4},
        "x" * 65: 1,
        "\x1b[31m": 1,
    }
    kept = known_usage(given)

    assert kept == {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "cost": 0.25,
        "prompt_tokens_details": {"cached_tokens": 3, "more": {"text_tokens": 1}},
    }
    assert known_usage(kept) == kept
    assert known_usage([1]) is known_usage({}) is None
    assert len(known_usage({f"n{i}": i for i in range(1_000)})) == 64


def test_tokens_are_the_larger_of_total_and_parts():
    parts = {"prompt_tokens": 100, "completion_tokens": 20}
    assert (
        tokens_of(parts) == tokens_of({**parts, "total_tokens": 0}) == tokens_of({**parts, "total_tokens": -1}) == 120
    )
    assert tokens_of({**parts, "total_tokens": 150}) == tokens_of({"total_tokens": 150}) == 150
    assert tokens_of({"prompt_tokens": 100}) is None


def test_cost_is_between_0_and_10000_dollars():
    assert [known_cost(cost) for cost in (0, 0.5, 10_000)] == [0.0, 0.5, 10_000.0]
    odd = (-0.1, float("nan"), float("inf"), 10_001, 10**400, True, "1", None, [1])
    assert [known_cost(cost) for cost in odd] == [None] * len(odd)


def test_library_log_is_printable_and_redacted(monkeypatch, caplog):
    monkeypatch.setenv("HOUSE_KEY", "canary-of-the-log-test")
    logger = logging.getLogger("a library")
    clean = CleanLog()
    logger.addFilter(clean)
    try:
        logger.warning("odd: %s", "\x1b[2J canary-of-the-log-test")
    finally:
        logger.removeFilter(clean)
    assert "odd: \ufffd[2J [redacted]" in caplog.text
