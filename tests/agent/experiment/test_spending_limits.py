"""Budgets: worst cases are reserved before requests are sent, and lost requests stay spent."""

import asyncio
import contextlib
import dataclasses
import json
import random
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from asking import answer_in
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.agent.experiment.spending_limits import SpendingLimits, check
from repair_bench.agent.models import ProviderSettings, Request, create
from repair_bench.agent.models.base import RequestError
from repair_bench.agent.models.network.providers import Throttle
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.coroutines import run_to_end
from repair_bench.log import RUN_LOG, log_to_run
from repair_bench.suites.task import Task
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.faults import BudgetExhausted, ModelError, UsageError
from repair_bench.traces.record.records import Completion
from repair_bench.traces.record.spending import Bound, Spend, Spending
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

TASK = Task("suite", "01", "qiskit", "f", "words", "def f():", check=None, category="algorithm")  # type: ignore[arg-type]
REQUEST = Request([{"role": "user", "content": "Hello"}], 0.0, 100, 0, TASK, 0, 0)
WORST = Spend(1.0, 1000)


class PayingModel:
    """Answers each request with the next of `outcomes`, a cost or an error: sets `arrived`, then waits for `go`."""

    name, simulated, supports_prefill, supports_tools, reasons = "paying/test", False, False, False, False
    retry, timeout = RetryPolicy(first_wait=0.0, longest_wait=0.0), 60.0

    def __init__(self, *outcomes: float | RequestError | None, worst: Spend = WORST) -> None:
        self.outcomes = list(outcomes)
        self.worst = worst
        self.quota = Throttle(ProviderSettings())
        self.arrived, self.go = asyncio.Event(), asyncio.Event()
        self.go.set()

    def worst_case(self, messages: list[dict[str, Any]], max_tokens: int | None) -> Spend:
        return self.worst

    async def complete(self, request: Request) -> Completion:
        self.arrived.set()
        await self.go.wait()
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, RequestError):
            outcome.again = "later" if self.outcomes else "never"
            raise outcome
        return Completion("ok", cost_usd=outcome, usage={"total_tokens": 10} if outcome else None)

    async def close(self) -> None:
        """Nothing was opened."""


def refused() -> RequestError:
    return RequestError(ModelError("no answer"), unbilled=True)


def lost() -> RequestError:
    """Return the error of a broken connection; whether the answer was billed is unknown."""
    return RequestError(ModelError("no answer"))


def in_a_run(directory: Path, go: Callable[[RunStore], Coroutine[Any, Any, None]]) -> Spending:
    """Return the spending of a run, which a resumed run reads from disk."""

    async def main() -> Spending:
        store = RunStore.create(directory, Manifest.from_json({"experiment": {}}))
        try:
            await go(store)
        finally:
            await store.close()
        again = RunStore.resume(directory, Manifest.from_json({"experiment": {}}))
        await again.close()
        assert again.spending.total.cost_usd == pytest.approx(store.spending.total.cost_usd)
        assert again.spending.total.tokens == store.spending.total.tokens
        assert again.spending.open == store.spending.open
        return again.spending

    return run_to_end(main())


@pytest.mark.parametrize(
    ("outcomes", "cost", "in_doubt"),
    [
        ([0.25], 0.25, 0.0),
        ([None], 1.0, 1.0),  # unknown to the provider: the worst case stays in doubt
        ([refused(), 0.25], 0.25, 0.0),
        ([lost(), 0.25], 1.25, 1.0),
        ([lost(), refused(), lost(), 0.5], 2.5, 2.0),
    ],
)
def test_lost_requests_cost_their_worst_case_and_refused_ones_nothing(tmp_path, outcomes, cost, in_doubt):
    async def go(store: RunStore) -> None:
        await answer_in(store, SpendingLimits(10.0, None, store.spending), PayingModel(*outcomes), REQUEST, "k")
        assert store.completion("k")["text"] == "ok"

    spent = in_a_run(tmp_path, go)
    assert spent.total.cost_usd == pytest.approx(cost)
    assert spent.open.cost_usd == pytest.approx(in_doubt)


@pytest.mark.parametrize(
    ("outcome", "exhausted", "total"),
    [(lost(), True, 1.0), (0.9, True, 0.9), (0.4, False, 0.65), (0.25, False, 0.5), (refused(), False, 0.25)],
)
def test_request_waits_until_one_in_flight_frees_room_or_cannot(tmp_path, outcome, exhausted, total):
    async def go(store: RunStore) -> None:
        budget = SpendingLimits(1.5, None, store.spending)
        first, second = PayingModel(outcome), PayingModel(0.25)
        first.go.clear()
        one = asyncio.create_task(answer_in(store, budget, first, REQUEST, "1"))
        await first.arrived.wait()
        two = asyncio.create_task(answer_in(store, budget, second, REQUEST, "2"))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not second.arrived.is_set()
        first.go.set()
        _, result = await asyncio.gather(one, two, return_exceptions=True)
        assert isinstance(result, BudgetExhausted) == exhausted

    assert in_a_run(tmp_path, go).total.cost_usd == pytest.approx(total)


@pytest.mark.parametrize(("cost", "tokens"), [(0.99, None), (None, 999)])
def test_request_that_might_exceed_a_limit_is_not_sent(tmp_path, cost, tokens):
    async def go(store: RunStore) -> None:
        model = PayingModel(0.001)
        with pytest.raises(BudgetExhausted, match="is exhausted"):
            await answer_in(store, SpendingLimits(cost, tokens, store.spending), model, REQUEST, "k")
        assert not model.arrived.is_set()

    assert in_a_run(tmp_path, go).total == Spend()
    assert (tmp_path / "completions.jsonl").read_text() == ""


def test_resumed_run_keeps_its_spending(tmp_path):
    async def first(store: RunStore) -> None:
        await answer_in(store, SpendingLimits(2.0, None, store.spending), PayingModel(0.7), REQUEST, "1")
        with pytest.raises(ModelError):
            await answer_in(store, SpendingLimits(2.0, None, store.spending), PayingModel(lost()), REQUEST, "2")

    in_a_run(tmp_path, first)

    async def second() -> None:
        store = RunStore.resume(tmp_path, Manifest.from_json({"experiment": {}}))
        with pytest.raises(BudgetExhausted):
            await answer_in(store, SpendingLimits(2.0, None, store.spending), PayingModel(0.1), REQUEST, "2")
        await answer_in(store, SpendingLimits(2.75, None, store.spending), PayingModel(0.1), REQUEST, "2")
        assert store.repeats == 1
        await store.close()

    run_to_end(second())


def test_request_cancelled_before_its_turn_costs_nothing(tmp_path):
    async def go(store: RunStore) -> None:
        class Never(Throttle):
            async def turn(self, _: Request) -> None:
                await asyncio.Event().wait()

        queued = PayingModel()
        queued.quota = Never(ProviderSettings())
        task = asyncio.create_task(answer_in(store, SpendingLimits(1.0, None, store.spending), queued, REQUEST, "k"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await answer_in(store, SpendingLimits(1.0, None, store.spending), PayingModel(0.5), REQUEST, "l")

    assert in_a_run(tmp_path, go).total == Spend(0.5, 10)


@pytest.mark.slow
@given(
    limit=st.integers(1, 30),
    completions=st.lists(
        st.lists(
            st.one_of(st.just("lost"), st.just("refused"), st.none(), st.floats(0.01, 1.0)), min_size=1, max_size=4
        ),
        max_size=12,
    ),
)
def test_no_order_of_events_exceeds_the_limit(tmp_path_factory, limit, completions):
    """Check any order of events. `bill`: the maximum charge of a provider that bills everything it did not refuse."""
    bill = 0.0

    class Billed(PayingModel):
        async def complete(self, request: Request) -> Completion:
            nonlocal bill
            await asyncio.sleep(0)
            outcome = self.outcomes[0]
            if not (isinstance(outcome, RequestError) and outcome.unbilled):
                bill += outcome if isinstance(outcome, float) else 1.0
                assert bill <= limit + 1e-9
            return await super().complete(request)

    async def go(store: RunStore) -> None:
        budget = SpendingLimits(float(limit), None, store.spending)
        faults = {"lost": lost, "refused": refused}
        models = [Billed(*(faults[o]() if o in faults else o for o in outcomes)) for outcomes in completions]
        results = await asyncio.wait_for(
            asyncio.gather(
                *(answer_in(store, budget, m, REQUEST, str(i)) for i, m in enumerate(models)), return_exceptions=True
            ),
            60,
        )
        assert all(isinstance(r, Completion | BudgetExhausted | ModelError) for r in results)
        if any(isinstance(r, BudgetExhausted) for r in results):
            assert store.spending.total.cost_usd > limit - 1

    spent = in_a_run(tmp_path_factory.mktemp("run") / "r", go)
    assert spent.total.cost_usd >= bill - 1e-9


def test_models_that_send_nothing_cost_nothing_and_need_no_price(tmp_path):
    async def go(store: RunStore) -> None:
        await answer_in(store, SpendingLimits(0.0, 0, store.spending), ScriptedModel(["hello"]), REQUEST, "k")
        assert SpendingLimits(0.0, 0, store.spending).spent_words() is None

    check([ScriptedModel([]), create("sim/novice")], None, max_cost=1.0, max_tokens=1)
    assert in_a_run(tmp_path, go).total == Spend()


@pytest.mark.slow
def test_limit_that_cannot_be_enforced_is_an_error(monkeypatch):
    house = create("openai/house-model")
    priced = create("openai/gpt-4.1")
    check([house, priced], None, max_cost=None, max_tokens=None)
    check([priced], 100, max_cost=1.0, max_tokens=None)
    check([house], 100, max_cost=None, max_tokens=1000)
    with pytest.raises(UsageError, match="--max-completion-tokens"):
        check([priced], None, max_cost=1.0, max_tokens=None)
    with pytest.raises(UsageError, match="the price of openai/house-model is unknown"):
        check([priced, house], 100, max_cost=1.0, max_tokens=None)


def words_after(directory: Path, *models: PayingModel) -> list[str | None]:
    """Return the sentence about spending after one request to each model."""
    words = []

    async def go(store: RunStore) -> None:
        budget = SpendingLimits(None, None, store.spending)
        for number, model in enumerate(models):
            with contextlib.suppress(ModelError):
                await answer_in(store, budget, model, REQUEST, str(number))
            words.append(budget.spent_words())

    in_a_run(directory, go)
    return words


def test_spending_is_reported_with_its_uncertain_part(tmp_path):
    words = words_after(
        tmp_path, PayingModel(0.25), PayingModel(lost(), 0.25), PayingModel(None, worst=Spend(None, None))
    )
    assert words[0] == "0.2500 USD and 10 tokens spent"
    assert words[1].startswith("1.5000 USD and 1,020 tokens spent; up to 1.0000 USD and 1,000 tokens of this")
    assert "the cost of 1 answer is unknown" in words[2]


def test_uncertain_unknown_cost_is_not_printed_as_zero(tmp_path):
    words = words_after(tmp_path, *(PayingModel(lost(), worst=Spend(None, tokens)) for tokens in (300, None)))
    assert words[0].startswith("300 tokens spent; up to 300 tokens of this amount is uncertain")
    assert "1 request of unknown cost" in words[0]
    assert "2 requests of unknown cost" in words[1]
    assert "USD" not in "".join(words)


def test_log_reports_the_exhausted_budget_once(tmp_path):
    async def go(store: RunStore) -> None:
        budget = SpendingLimits(0.5, None, store.spending)
        for key in ("1", "2"):
            with pytest.raises(BudgetExhausted):
                await answer_in(store, budget, PayingModel(0.25), dataclasses.replace(REQUEST, id=f"a{key}"), key)

    with log_to_run(tmp_path):
        in_a_run(tmp_path / "r", go)
    (event,) = [json.loads(line) for line in (tmp_path / RUN_LOG).read_text().splitlines()]
    assert (event["event"], event["attempt"]) == ("budget", "a1")
    assert event["limits"] == {"cost_usd": 0.5, "tokens": None}
    assert event["next_request"] == {"cost_usd": 1.0, "tokens": 1000}


COUNTED = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def test_lost_request_uses_the_prompt_count_of_the_answer():
    """1,000 bytes were reserved for a prompt of 100 tokens; the lost completion is unknown."""
    spending = Spending()
    for key in ("k", "k", "k", "other"):
        spending.requested(key, Bound(5.0, 1400, 1.0, 1000))
    spending.answered("k", {"cost_usd": 0.25, "usage": COUNTED})
    assert spending.settled == Spend(0.25, 110)
    assert spending.open == Spend(pytest.approx(2 * (4.0 + 0.1) + 5.0), 2 * 500 + 1400)
    spending.answered("other", {"cost_usd": 0.25, "usage": None})
    assert spending.settled == Spend(0.5, 110)
    assert spending.open == Spend(pytest.approx(2 * 4.1), 2 * 500 + 1400)


@pytest.mark.parametrize("usage", [None, {}, {"total_tokens": 5}, {"prompt_tokens": 0}, {"prompt_tokens": 10**9}])
def test_bound_never_grows_and_stays_without_a_prompt_count(usage):
    spending = Spending()
    for _ in range(2):
        spending.requested("k", Bound(5.0, 1400, 1.0, 1000))
    spending.answered("k", {"cost_usd": 0.25, "usage": usage})
    assert spending.open.cost_usd == 5.0
    assert spending.open.tokens >= 1400


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    events=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["lost", "refused", "answer", "bare"])), max_size=40),
)
def test_bill_is_between_settled_and_total(seed, events):
    """The provider bills every request that it did not refuse, for a completion of random length."""
    chance, spending, bill = random.Random(seed), Spending(), 0.0
    prompts = [chance.randint(1, 1000) for _ in range(4)]
    answered: set[str] = set()
    for number, event in events:
        key = str(number)
        if key in answered:
            continue
        spending.requested(key, Bound(1000 * 2e-6 + 300 * 8e-6, 1300, 1000 * 2e-6, 1000))
        written = chance.randint(0, 300)
        cost = prompts[number] * 2e-6 + written * 8e-6
        bill += cost * (event != "refused")
        if event == "refused":
            spending.refused(key)
        elif event != "lost":
            answered.add(key)
            usage = {"prompt_tokens": prompts[number], "completion_tokens": written}
            spending.answered(key, {"cost_usd": cost, "usage": usage} if event == "answer" else {})
        assert spending.settled.cost_usd <= bill + 1e-12
        assert bill <= spending.total.cost_usd + 1e-12


def test_simulated_models_keep_a_budget_of_tokens(tmp_path, suite):
    task = suite.tasks[0]
    request = dataclasses.replace(REQUEST, task=task)

    async def go(store: RunStore) -> None:
        budget, model = SpendingLimits(None, 1000, store.spending), create("sim/novice")
        asked = [answer_in(store, budget, model, request, str(number)) for number in range(50)]
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert "budget of 1,000 tokens" in str(results[-1])
        assert 0 < store.spending.total.tokens <= 1000
        assert budget.spent_words() == f"{store.spending.total.tokens:,} tokens spent"

    assert in_a_run(tmp_path, go).settled.tokens > 500


def test_drain_waits_for_requests_in_flight_and_admits_none(tmp_path):
    async def go(store: RunStore) -> None:
        budget = SpendingLimits(10.0, None, store.spending)
        first, later = PayingModel(0.25), PayingModel(0.25)
        first.go.clear()
        one = asyncio.create_task(answer_in(store, budget, first, REQUEST, "1"))
        await first.arrived.wait()
        drain = asyncio.create_task(budget.drain())
        await asyncio.sleep(0)
        two = asyncio.create_task(answer_in(store, budget, later, REQUEST, "2"))
        done, _ = await asyncio.wait([drain, two], timeout=0.1)
        assert not done
        assert budget.in_flight == 1
        first.go.set()
        await asyncio.wait_for(drain, 10)
        assert store.completion("1") is not None
        assert not later.arrived.is_set()
        assert not one.done()  # the caller does not continue; it is cancelled
        for task in (one, two):
            task.cancel()
        await asyncio.gather(one, two, return_exceptions=True)

    assert in_a_run(tmp_path, go).total == Spend(0.25, 10)
