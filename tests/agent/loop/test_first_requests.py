"""A model that refuses every request stops the run after a few requests; a single refused prompt does not."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from server.scripted import ReceivedRequest, Reply, ScriptedServer, answer, html, rate_limited, refused, server_error

from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.loop.ask import Asker
from repair_bench.agent.loop.first_requests import FirstRefusals, preflight
from repair_bench.agent.models import Model, ProviderSettings, create
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.coroutines import run_to_end
from repair_bench.suites.task import Suite, Task
from repair_bench.testing.driving import drive
from repair_bench.traces.faults import ModelError, UsageError
from repair_bench.traces.record.spending import Spend, Spending
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.02, budget=0.2)
TASK = Task("suite", "01", "qiskit", "f", "words", "def f():", check=None, category="algorithm")  # type: ignore[arg-type]
NAME = "openai/house-modl"
UNKNOWN = refused(400, f"Invalid model name passed in model={NAME}. Call `/v1/models` to view available models.")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-first-requests")


def model(url: str, name: str = NAME) -> LiteLLMModel:
    prices = {"input_price": 2.0, "output_price": 8.0}
    return LiteLLMModel(name, ProviderSettings(api_base=url, timeout_seconds=60, **prices), retry=QUICK)


def numbered(asked: ReceivedRequest) -> Reply:
    """Return the same refusal with the id of the request, and with the prompt at its end."""
    text = f"Request req_{asked.number:x}7f3 failed: no model {NAME} (took 0.{asked.number} s). {asked.messages[-1]}"
    return refused(400, text, code="invalid_model")


@pytest.mark.slow
@pytest.mark.parametrize("script", [[UNKNOWN], numbered, [refused(422, "model: value is not a valid enumeration")]])
def test_first_requests_refused_in_the_same_words_stop_the_run(suite: Suite, tmp_path: Path, script):
    with ScriptedServer(script) as server:
        experiment = Experiment(models=(NAME,), frameworks=("qiskit",), limit=20, max_attempts=0)
        with pytest.raises(
            UsageError, match="refused the first 3 requests for the same reason: check the model's name"
        ) as stopped:
            drive(tmp_path, experiment.episodes([suite]), [model(server.url)], concurrency=4)
    assert "\n" not in str(stopped.value)
    assert len(server.asked) <= 8
    assert (tmp_path / "attempts.jsonl").read_text().count("\n") <= 2


@pytest.mark.slow
def test_run_continues_after_a_refused_prompt(suite: Suite, tmp_path: Path):
    def script(asked: ReceivedRequest) -> Reply:
        return UNKNOWN if asked.number in (0, 2, 3, 4) else answer("no")

    with ScriptedServer(script) as server:
        experiment = Experiment(models=(NAME,), frameworks=("qiskit",), limit=8, max_attempts=0)
        end, _, _ = drive(tmp_path, experiment.episodes([suite]), [model(server.url)], concurrency=1)
    assert (end.pending, end.faults) == (4, 4)


def test_refusals_of_fewer_first_requests_stop_a_small_run():
    error = ModelError("m: no answer after 1 request. no", refusal="400: no")
    with pytest.raises(UsageError, match="refused the first request:"):
        FirstRefusals(1).refused("m", error)
    two = FirstRefusals(2)
    two.refused("m", error)
    two.refused("m", ModelError("away"))
    with pytest.raises(UsageError):
        two.refused("m", error)
    answered = FirstRefusals(1)
    answered.answered()
    answered.refused("m", error)


def ask_first(
    directory: Path, script: Sequence[Reply], longest: int | None = 300
) -> tuple[str | None, list[ReceivedRequest], Spending]:
    """Return the error with which the preflight stops a run, its requests, and the spending of the run."""

    async def main(made: Model) -> Spending:
        store = RunStore.create(directory, Manifest.from_json({}))
        try:
            await preflight(
                {made.name: made}, {made.name: (TASK, longest)}, Asker(store, SpendingLimits(1.0, None, store.spending))
            )
        finally:
            await made.close()
            await store.close()
        again = RunStore.resume(directory, Manifest.from_json({}))
        await again.close()
        return again.spending

    with ScriptedServer(script) as server:
        try:
            spending = run_to_end(main(model(server.url)))
        except UsageError as error:
            return str(error), server.asked, Spending()
        return None, server.asked, spending


@pytest.mark.slow
def test_preflight_requests_one_token_and_is_counted(tmp_path: Path):
    usage = {"prompt_tokens": 14, "completion_tokens": 1, "total_tokens": 15}
    stopped, asked, spending = ask_first(tmp_path, [answer("O", usage=usage, finish_reason="length")])
    assert stopped is None
    (request,) = asked
    assert request.body["max_tokens"] == 1
    assert spending.total == Spend(pytest.approx(14 * 2e-6 + 8e-6), 15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "words", "requests"),
    [
        ([UNKNOWN], "refused a short test request", 2),
        ([refused(404, "no such model")], "has no such model", 1),
        ([refused(401, "no")], "access refused", 1),
    ],
)
def test_a_preflight_finds_a_wrong_name_and_a_wrong_key(tmp_path: Path, script, words, requests):
    stopped, asked, _ = ask_first(tmp_path, script)
    assert stopped is not None
    assert words in stopped
    assert len(asked) == requests


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "requests"),
    [
        ([refused(400, "max_tokens must be at least 16", param="max_tokens"), answer("OK")], 2),
        ([refused(400, "Could not finish the message because max_tokens was reached."), answer("OK")], 2),
        ([refused(400, "`max_tokens` must be greater than `thinking.budget_tokens`."), answer("OK")], 2),
        ([server_error()], 1),
        ([rate_limited(30)], 1),
        ([html()], 1),
        ([Reply(reset=True)], 1),
    ],
)
def test_preflight_does_not_stop_a_run_that_may_succeed(tmp_path: Path, script, requests):
    stopped, asked, _ = ask_first(tmp_path, script)
    assert stopped is None
    assert len(asked) >= requests


def test_models_without_a_provider_have_no_preflight(tmp_path: Path):
    async def main() -> None:
        store = RunStore.create(tmp_path, Manifest.from_json({}))
        await preflight(
            {"sim": create("sim/novice")},
            {"sim": (TASK, None)},
            Asker(store, SpendingLimits(None, None, store.spending)),
        )
        await store.close()

    run_to_end(main())
    assert (tmp_path / "completions.jsonl").read_text() == ""
