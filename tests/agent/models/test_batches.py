"""Batches through the real litellm and a real server on loopback with a batch API and errors."""

import asyncio
import contextlib
import gc
import json
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking import REQUEST, answer_in
from server.batches import BatchProvider, Handed, completion
from server.scripted import Reply, ScriptedServer, refused, unsupported

import repair_bench
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.models import ProviderSettings, Request, create
from repair_bench.agent.models.batch import api, jobs, model
from repair_bench.agent.models.batch.jobs import BatchJobs
from repair_bench.agent.models.batch.model import BatchedModel
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.coroutines import run_to_end
from repair_bench.testing.made_up_runs import load_run
from repair_bench.traces.faults import BudgetExhausted, ModelError, UsageError
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.batches import BatchLedger
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

MODEL = "openai/gpt-4.1"
PATIENCE = 6.0
SENT = {"temperature": 0.0, "max_tokens": 64, "seed": 5}
PRICE = 100 * 1e-6 + 20 * 4e-6  # cost of one answer at gpt-4.1's batch price


def echo(body: Mapping[str, Any]) -> Mapping[str, Any]:
    return completion(f"answer to {body['messages'][0]['content']}")


def request(number: int) -> Request:
    return replace(REQUEST, messages=[{"role": "user", "content": f"q{number}"}])


class Run:
    """One session, which requests the answers to these questions concurrently."""

    def __init__(self, directory: Path, url: str, **settings: Any) -> None:
        self.directory = directory
        self.settings = ProviderSettings(api_base=url, batch=True, retry_for_seconds=PATIENCE, **settings)

    async def ask(
        self, numbers: range, *, max_cost: float | None = None, stop: asyncio.Event | None = None
    ) -> dict[int, Completion | BaseException]:
        begin = RunStore.resume if (self.directory / "run.json").exists() else RunStore.create
        self.store = store = begin(self.directory, Manifest.from_json({"experiment": {}}))
        self.model = model = BatchedModel(MODEL, self.settings)
        limits = SpendingLimits(max_cost, None, store.spending)

        async def one(number: int) -> Completion:
            with limits.batch_round.taking_part():
                if (stored := store.completion(f"key{number}")) is not None:
                    return Completion(**stored)
                return await answer_in(store, limits, model, request(number), f"key{number}")

        try:
            await model.open(store, limits.batch_round)
            asked = asyncio.gather(*(one(n) for n in numbers), return_exceptions=True)
            stopped = asyncio.create_task(stop.wait() if stop else asyncio.sleep(3600))
            await asyncio.wait({asked, stopped}, return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            if not asked.done():
                asked.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await asked
                return {}
            return dict(zip(numbers, asked.result(), strict=True))
        finally:
            await model.close()
            await store.close()


def ask(directory: Path, provider: BatchProvider, numbers: range = range(4), **options: Any) -> tuple[Any, Run]:
    with ScriptedServer(provider) as server:
        run = Run(directory, server.url)
        return run_to_end(run.ask(numbers, **options)), run


def worst_case() -> float:
    """Return the maximum cost of one request."""
    worst = BatchedModel(MODEL, ProviderSettings(batch=True)).worst_case(REQUEST.messages, 64).cost_usd
    assert worst is not None
    return worst


def texts(answers: Mapping[int, Any]) -> dict[int, str]:
    return {number: answer.text for number, answer in answers.items()}


def expected(numbers: range) -> dict[int, str]:
    return {number: f"answer to q{number}" for number in numbers}


def test_concurrent_requests_are_one_batch_at_half_price(tmp_path: Path) -> None:
    provider = BatchProvider(echo, delay=0.1)
    answers, run = ask(tmp_path, provider)
    assert texts(answers) == expected(range(4))
    assert len(provider.batches) == 1
    assert provider.submitted == provider.answered == {f"key{n}": 1 for n in range(4)}
    assert [a.cost_usd for a in answers.values()] == pytest.approx([PRICE] * 4)
    assert all(a.cost_source.endswith(", batch") for a in answers.values())
    assert all(a.latency_seconds is None for a in answers.values())
    assert answers[0].params == {"model": MODEL, **SENT}
    assert run.store.spending.total.cost_usd == pytest.approx(4 * PRICE)
    assert run.store.spending.open.cost_usd == 0
    assert run.model.closing_line() is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "provider",
    [
        BatchProvider(echo, {"error": 0.5}, seed=1),
        BatchProvider(echo, {"refused": 0.5}, seed=2),
        BatchProvider(echo, {"missing": 0.5}, seed=1),
        BatchProvider(echo, {"twice": 0.5, "unknown": 0.5}, seed=1),
        BatchProvider(echo, ends=("expired", "completed")),
        BatchProvider(echo, ends=("forgotten", "completed")),
        BatchProvider(echo, ends=("lost", "completed")),
        BatchProvider(echo, ends=("busy", "completed")),
    ],
    ids=["error file", "500", "missing", "twice and unknown", "expired", "forgotten", "lost", "busy"],
)
def test_only_failed_requests_are_repeated(tmp_path: Path, provider: BatchProvider) -> None:
    answers, run = ask(tmp_path, provider, range(6))
    assert texts(answers) == expected(range(6))
    assert set(provider.answered.values()) == {1}
    assert not provider.refusals
    assert set(provider.used.values()) == {1}
    all_at_first = provider.ends[0] == "lost" or not provider.faults.keys() - {"twice", "unknown"}
    assert (provider.submitted.total() == 6) == (all_at_first and provider.ends[0] not in ("expired", "forgotten"))
    assert run.store.spending.settled.cost_usd == pytest.approx(6 * PRICE)
    in_doubt = provider.ends[0] == "forgotten" or "missing" in provider.faults  # possibly billed
    assert bool(run.store.spending.open.cost_usd) == in_doubt


@pytest.mark.slow
def test_refused_or_cancelled_batch_is_a_fault(tmp_path: Path) -> None:
    for end, words in (("failed", "the batch was refused: No."), ("cancelled", "cancelled on the provider's side")):
        answers, run = ask(tmp_path / end, BatchProvider(echo, ends=(end, "completed")), range(6))
        faults = [answer for answer in answers.values() if isinstance(answer, ModelError)]
        assert faults
        assert all(words in str(fault) for fault in faults)
        assert run.store.spending.open.cost_usd == 0


@pytest.mark.slow
def test_refused_parameter_is_dropped_in_batches(tmp_path: Path) -> None:
    def picky(body: Mapping[str, Any]) -> Mapping[str, Any] | Reply:
        return unsupported("temperature") if "temperature" in body else echo(body)

    provider = BatchProvider(picky)
    answers, _ = ask(tmp_path, provider)
    assert texts(answers) == expected(range(4))
    assert all("temperature" not in answer.params for answer in answers.values())
    assert [len(provider.batches), *provider.submitted.values()] == [2, 2, 2, 2, 2]


@pytest.mark.slow
def test_batch_is_cut_to_the_budget(tmp_path: Path) -> None:
    provider = BatchProvider(echo)
    worst = worst_case()
    answers, run = ask(tmp_path, provider, range(6), max_cost=3.5 * worst)
    done = [n for n, answer in answers.items() if isinstance(answer, Completion)]
    assert all(isinstance(answers[n], BudgetExhausted) for n in answers if n not in done)
    assert provider.submitted.total() == len(done) >= 3
    assert run.store.spending.total.cost_usd == pytest.approx(len(done) * PRICE)


@pytest.mark.slow
def test_stopped_run_collects_its_batch_later(tmp_path: Path) -> None:
    provider = BatchProvider(echo, delay=0.6)

    async def stopped(run: Run) -> None:
        stop = asyncio.Event()

        async def when_submitted() -> None:
            while not provider.batches:  # noqa: ASYNC110 - the server runs in a separate thread
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            stop.set()

        await asyncio.gather(run.ask(range(4), stop=stop), when_submitted())

    with ScriptedServer(provider) as server:
        run = Run(tmp_path, server.url)
        run_to_end(stopped(run))
        assert (
            run.model.closing_line()
            == "batches with 4 requests are in progress at openai: resume the run to collect them"
        )
        in_doubt = run.store.spending.open
        assert in_doubt.cost_usd
        answers = run_to_end(run.ask(range(6)))
    assert texts(answers) == expected(range(6))
    assert provider.submitted == provider.answered == {f"key{n}": 1 for n in range(6)}
    assert run.store.spending.total.cost_usd == pytest.approx(6 * PRICE)
    assert run.store.repeats == 0


@pytest.mark.slow
def test_batch_that_takes_too_long_is_collected_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (jobs, model):
        monkeypatch.setattr(module, "MAX_BATCH", 1.0)
    provider = BatchProvider(echo, delay=2.5)
    with ScriptedServer(provider) as server:
        run = Run(tmp_path, server.url)
        assert {type(answer) for answer in run_to_end(run.ask(range(3))).values()} == {ModelError}
        time.sleep(2.0)
        assert texts(run_to_end(run.ask(range(3)))) == expected(range(3))
    assert provider.submitted == provider.answered == {f"key{n}": 1 for n in range(3)}


@pytest.mark.slow
def test_cancelled_request_leaves_no_coroutine(tmp_path: Path) -> None:
    """Warnings are errors here: Python warns about a coroutine that nothing awaits."""
    provider = BatchProvider(echo, delay=60)

    async def cancelled(state: Callable[[str], Coroutine[Any, Any, Any]], ticks: int) -> None:
        task = asyncio.ensure_future(state("batch-1"))
        for _ in range(ticks):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def main(url: str) -> None:
        model = BatchedModel(MODEL, Run(tmp_path, url).settings)
        for ticks in (1, 2, 3, 4, 8):
            await cancelled(model._api.state, ticks)
        await model.close()

    with ScriptedServer(provider) as server:
        run_to_end(main(server.url))
    gc.collect()


@pytest.mark.slow
def test_batch_ends_at_the_size_that_providers_accept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_MAX_BYTES", 2 * len(str(request(0).messages)))
    answers, _ = ask(tmp_path, provider := BatchProvider(echo), range(5))
    assert texts(answers) == expected(range(5))
    assert [len(provider.files[batch.file].splitlines()) for batch in provider.batches.values()] == [2, 2, 1]


@pytest.mark.slow
@pytest.mark.parametrize(("times", "batches"), [(2, 1), (3, 2)])
def test_batch_is_lost_after_three_denials_in_a_row(tmp_path: Path, times: int, batches: int) -> None:
    class Forgetful(BatchProvider):
        """At first denies that its first batch exists."""

        denials = times

        def _retrieve(self, name: str) -> Reply:
            if name == "batch_0" and self.denials:
                self.denials -= 1
                return refused(404, f"No batch found with id '{name}'")
            return super()._retrieve(name)

    answers, _ = ask(tmp_path, provider := Forgetful(echo), range(2))
    assert texts(answers) == expected(range(2))
    assert len(provider.batches) == batches


def test_first_completion_counts_if_a_key_occurs_repeatedly(tmp_path: Path) -> None:
    class Repetitive(BatchProvider):
        """Answers each request with an error, and then with two completions."""

        def _keep(self, batch: Handed, lines: list[str]) -> str | None:
            error = {"status_code": 500, "request_id": "r", "body": {"error": {"message": "No."}}}
            made = [json.loads(line) for line in lines]
            before = [json.dumps({**line, "response": error}) for line in made]
            return super()._keep(batch, [*before, *lines, *(line.replace("answer to", "copy of") for line in lines)])

    answers, _ = ask(tmp_path, provider := Repetitive(echo), range(2))
    assert texts(answers) == expected(range(2))
    assert len(provider.batches) == 1


def test_requests_fail_if_the_ledger_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(BatchLedger, "prepared", full)
    answers, _ = ask(tmp_path, BatchProvider(echo), range(2))
    assert all(isinstance(one, ModelError) and "no space left on device" in str(one) for one in answers.values())


def test_closed_model_leaves_no_error_in_the_event_loop(tmp_path: Path) -> None:
    errors: list[Any] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
        stop = asyncio.Event()
        stop.set()
        await Run(tmp_path, "http://127.0.0.1:9/v1").ask(range(1), stop=stop)
        await asyncio.sleep(0)

    run_to_end(main())
    assert errors == []


@pytest.mark.parametrize(("seconds", "pace"), [(RetryPolicy.budget / 10, 0.1), (RetryPolicy.budget * 10, 1.0)])
def test_polls_are_never_rarer_than_by_default(tmp_path: Path, seconds: float, pace: float) -> None:
    made = BatchedModel(MODEL, ProviderSettings(batch=True))
    jobs = BatchJobs(MODEL, made._api, BatchLedger(tmp_path / "batches.jsonl"), RetryPolicy.of_patience(seconds), 60)
    assert jobs._pace == pytest.approx(pace)


@pytest.mark.slow
def test_requests_of_earlier_sessions_count_once(tmp_path: Path) -> None:
    """Four requests are in progress and fill the budget. Two more wait until these are answered."""
    provider = BatchProvider(echo, delay=0.5)
    worst = worst_case()
    with ScriptedServer(provider) as server:
        _leave(tmp_path, server.url, "submitted", range(4))
        answers = run_to_end(Run(tmp_path, server.url).ask(range(6), max_cost=4.5 * worst))
    assert texts(answers) == expected(range(6))
    assert set(provider.submitted.values()) == {1}


STATES = ("prepared", "noted", "uploaded", "created", "submitted", "collected")


def _leave(directory: Path, url: str, state: str, numbers: range) -> None:
    """Leave a run directory as after a kill in this state of its only batch."""

    async def main() -> None:
        run = Run(directory, url)
        store = RunStore.create(directory, Manifest.from_json({"experiment": {}}))
        model = BatchedModel(MODEL, run.settings)
        worst = model.worst_case(request(0).messages, 64)
        batch = await store.batches.prepared("ours", MODEL, {f"key{n}": {"model": MODEL, **SENT} for n in numbers})
        try:
            if state == "prepared":
                return
            for number in numbers:
                await store.note_request(f"key{number}", worst)
            if state == "noted":
                return
            file = await model._api.upload("ours", _lines(numbers))
            await store.batches.note(batch, "uploaded", file=file)
            if state == "uploaded":
                return
            name = await model._api.create("ours", file)
            if state == "created":
                return
            await store.batches.note(batch, "submitted", name=name)
            if state == "collected":
                await store.batches.note(batch, "collected", unanswered=[])
        finally:
            await model.close()
            await store.close()

    run_to_end(main())


def _lines(numbers: range) -> bytes:
    bodies = {f"key{n}": {"model": "gpt-4.1", "messages": request(n).messages, **SENT} for n in numbers}
    return b"".join(api.request(key, body) for key, body in bodies.items())


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_batch_is_continued_from_any_state(tmp_path: Path, state: str) -> None:
    provider = BatchProvider(echo)
    with ScriptedServer(provider) as server:
        _leave(tmp_path, server.url, state, range(3))
        run = Run(tmp_path, server.url)
        answers = run_to_end(run.ask(range(3)))
    assert texts(answers) == expected(range(3))
    assert provider.submitted == provider.answered == {f"key{n}": 1 for n in range(3)}
    assert run.store.spending.total.cost_usd == pytest.approx(3 * PRICE)
    assert run.store.spending.open.cost_usd == 0
    assert [a.params for a in answers.values()] == [{"model": MODEL, **SENT}] * 3


@pytest.mark.slow
def test_unreachable_host_stops_the_run(tmp_path: Path) -> None:
    answers = run_to_end(Run(tmp_path, "http://127.0.0.1:9/v1").ask(range(3)))
    assert all(isinstance(answer, UsageError) and "connection refused" in str(answer) for answer in answers.values())


def test_provider_without_batches_is_refused() -> None:
    with pytest.raises(UsageError, match="does not fully support the batch API of anthropic"):
        create("anthropic/claude-sonnet-4-5", ProviderSettings(batch=True))
    with pytest.raises(UsageError, match="has no batch API"):
        create("sim/expert", ProviderSettings(batch=True))


def test_missing_batch_price_is_half_price() -> None:
    name = "openai/gpt-3.5-turbo-16k"
    whole, half = create(name), BatchedModel(name, ProviderSettings(batch=True))
    a, b = (model.worst_case(request(0).messages, 64).cost_usd for model in (whole, half))  # type: ignore[attr-defined]
    assert a
    assert b == pytest.approx(a / 2)


def test_key_belongs_to_its_last_batch(tmp_path: Path) -> None:
    async def main() -> None:
        ledger = BatchLedger(tmp_path / "batches.jsonl")
        first = await ledger.prepared("a", "m", {"k": {}, "l": {}})
        await ledger.note(first, "collected", unanswered=["k"])
        await ledger.prepared("b", "m", {"k": {}})
        await ledger.journal.close()
        again = BatchLedger(tmp_path / "batches.jsonl")
        assert [(b.id, [*b.params]) for b in again.under_way("m")] == [("a", ["l"]), ("b", ["k"])]
        assert again.under_way("another") == []
        await again.journal.close()

    run_to_end(main())
    events = [json.loads(line) for line in (tmp_path / "batches.jsonl").read_text().splitlines()]
    assert [event["event"] for event in events] == ["prepared", "collected", "prepared"]


WHOLE = {"frameworks": ["qiskit"], "limit": 3, "max_attempts": 1, "prompt": {"max_completion_tokens": 200}}
CRITIC = "openai/gpt-4.1-mini"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "unbatched", "batches"),
    [
        ({"repair": {"feedback": "critic"}}, "", ["answer", "critic", "answer"]),
        ({"repair": {"feedback": "critic"}, "critic": {"model": CRITIC}}, "", ["answer", "critic", "answer"]),
        ({"repair": {"feedback": "critic"}, "critic": {"model": CRITIC}}, MODEL, ["critic"]),
        ({"repair": {"feedback": "critic"}, "critic": {"model": CRITIC}}, CRITIC, ["answer", "answer"]),
        ({"repair": {"probe": True}, "suites": ["conventions"]}, "", ["answer", "answer probe", "answer"]),
    ],
    ids=["self", "two batched models", "only the critic", "only the solver", "probe"],
)
def test_queries_of_a_run_fill_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: Mapping[str, Any], unbatched: str, batches: list[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-batched-critics")
    provider = BatchProvider(lambda _: completion("I do not know."), delay=0.1)
    with ScriptedServer(provider) as server:
        own: dict[str, Any] = {"api_base": server.url, "retry_for_seconds": PATIENCE}
        providers = {name: {**own, "batch": name != unbatched} for name in (MODEL, CRITIC)}
        used = {MODEL: providers[MODEL]} if "critic" not in fields else providers
        experiment = {"models": [MODEL], **WHOLE, **fields, "providers": used}
        repair_bench.run(experiment, out=tmp_path / "run", preflight=False, workers=1)
    assert sorted(attempt.attempt for attempt in load_run(tmp_path / "run")[1]) == [0, 0, 0, 1, 1, 1]
    files = [provider.files[batch.file] for batch in provider.batches.values()]
    made = [[json.loads(line)["body"] for line in file.splitlines()] for file in files]
    assert [" ".join(sorted({_role(body) for body in bodies})) for bodies in made] == batches
    controls = sum(_role(body) == "answer" for body in made[1]) if "answer probe" in batches else 0
    assert [len(bodies) for bodies in made] == [3] * (len(batches) - 1) + [3 - controls]
    assert controls < 3  # tasks without open conventions are repaired while the others are probed


def _role(body: Mapping[str, Any]) -> str:
    first, last = body["messages"][0]["content"], body["messages"][-1]["content"]
    return "critic" if first.startswith("You review") else "probe" if "state which conventions" in last else "answer"


def test_batch_is_submitted_if_another_request_needs_its_budget(tmp_path: Path) -> None:
    """A request outside of batches waits for the part of the budget that a request in the batch has reserved."""
    worst = BatchedModel(MODEL, ProviderSettings(batch=True)).worst_case(request(0).messages, 64)

    async def main(url: str) -> str:
        store = RunStore.create(tmp_path, Manifest.from_json({"experiment": {}}))
        limits = SpendingLimits(1.9 * (worst.cost_usd or 0.0), None, store.spending)
        model = BatchedModel(MODEL, Run(tmp_path, url).settings)
        await model.open(store, limits.batch_round)

        async def in_batch() -> str:
            with limits.batch_round.taking_part():
                return (await answer_in(store, limits, model, request(0), "key0")).text

        async def outside() -> None:
            with limits.batch_round.taking_part():
                while not model._queue:  # noqa: ASYNC110 - nothing announces a queued request
                    await asyncio.sleep(0.01)
                await limits.wait_for_budget(worst)

        try:
            async with asyncio.timeout(30):
                return (await asyncio.gather(in_batch(), outside()))[0]
        finally:
            await model.close()
            await store.close()

    with ScriptedServer(BatchProvider(echo)) as server:
        assert run_to_end(main(server.url)) == "answer to q0"
