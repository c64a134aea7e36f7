"""The spending that the client reports for each result of a request, against a real server on loopback."""

import json
from pathlib import Path

import pytest
from asking import REQUEST, answer_in
from server.scripted import (
    Reply,
    ScriptedServer,
    answer,
    cut_mid_body,
    hang,
    html,
    invalid_json,
    rate_limited,
    refused,
    reset,
    server_error,
    unsupported,
)

from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.models import ProviderSettings
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.coroutines import run_to_end
from repair_bench.traces.faults import BudgetExhausted
from repair_bench.traces.record.spending import Spend
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.02, longest_retry_after=0.1, budget=30)
PRICE = 100 * 2e-6 + 20 * 8e-6  # cost of one answer of the scripted server at gpt-4.1's price
BOUND = 100 * 2e-6 + 64 * 8e-6  # cost of a lost one if the next answer reports the prompt's tokens


def bill(
    directory: Path, replies: list[Reply], *, max_cost: float | None = None, timeout: float = 60
) -> tuple[Spend, Spend, float]:
    """Return the spending after one completion, its uncertain part, and the worst case of one request."""

    async def main(url: str) -> tuple[Spend, Spend, float]:
        store = RunStore.create(directory, Manifest.from_json({"experiment": {}}))
        model = LiteLLMModel("openai/gpt-4.1", ProviderSettings(api_base=url, timeout_seconds=timeout), retry=QUICK)
        try:
            await answer_in(store, SpendingLimits(max_cost, None, store.spending), model, REQUEST, "k")
        finally:
            await model.close()
            await store.close()
        worst = model.worst_case(REQUEST.messages, REQUEST.max_tokens).cost_usd
        return store.spending.total, store.spending.open, worst

    with ScriptedServer(replies) as server:
        return run_to_end(main(server.url))


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [rate_limited(), server_error(), server_error(503), refused(409, "conflict"), unsupported("seed")],
    ids=["429", "500", "503", "409", "400"],
)
def test_a_refused_request_costs_nothing(tmp_path, reply):
    total, doubt, _ = bill(tmp_path, [reply, answer("ok")])
    assert total.cost_usd == pytest.approx(PRICE)
    assert doubt == Spend()


@pytest.mark.parametrize(
    "reply",
    [reset(), cut_mid_body(), html(), invalid_json(), server_error(502), server_error(504), Reply(b"{}")],
    ids=["reset", "cut", "html", "invalid", "502", "504", "no-choices"],
)
def test_possibly_answered_request_costs_its_worst_case(tmp_path, reply):
    """A lost request counts the prompt as reported by the answer, and the longest completion."""
    total, doubt, worst = bill(tmp_path, [reply, answer("ok")])
    assert doubt.cost_usd == pytest.approx(BOUND)
    assert worst > BOUND
    assert total.cost_usd == pytest.approx(BOUND + PRICE)


@pytest.mark.slow
def test_each_timeout_costs_its_worst_case(tmp_path):
    total, doubt, _ = bill(tmp_path, [hang(), answer("ok")], timeout=1)
    sent = len((tmp_path / "completions.jsonl").read_text().splitlines()) - 1
    assert sent >= 2  # more on a slow machine
    assert doubt.cost_usd == pytest.approx(BOUND * (sent - 1))
    assert total.cost_usd == pytest.approx(doubt.cost_usd + PRICE)


def test_an_answer_without_counts_costs_its_worst_case(tmp_path):
    total, _, worst = bill(tmp_path, [answer("ok", usage=None)])
    assert total.cost_usd == pytest.approx(worst)


def test_repeats_end_with_the_budget(tmp_path):
    with pytest.raises(BudgetExhausted):
        bill(tmp_path, [cut_mid_body()], max_cost=0.003)
    events = [json.loads(line) for line in (tmp_path / "completions.jsonl").read_text().splitlines()]
    assert {e["event"] for e in events} == {"request"}
    assert 0.002 < sum(e["at_most"]["cost_usd"] for e in events) <= 0.003
