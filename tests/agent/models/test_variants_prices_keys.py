"""Settings of models before any request: variants, prices, keys."""

import json
from pathlib import Path

import pytest
from asking import REQUEST, answer_in, answer_of
from pydantic import ValidationError
from server.scripted import ReceivedRequest, Reply, ScriptedServer, answer, unauthorized

from repair_bench.agent import run_setup, session
from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.plan import plan
from repair_bench.agent.experiment.spending_limits import SpendingLimits
from repair_bench.agent.models import Model, ProviderSettings, create_all
from repair_bench.agent.models.network.providers import PACE, settings_of, throttle_owner
from repair_bench.cli.output import run_progress
from repair_bench.coroutines import run_to_end
from repair_bench.executors.options import ExecutorOptions
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion
from repair_bench.traces.record.spending import Spend
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
OWN_PRICE = {"input_price": 2.0, "output_price": 10.0}


def ask(models: dict[str, Model]) -> list[Completion]:
    async def main() -> list[Completion]:
        try:
            return [await answer_of(model, REQUEST) for model in models.values()]
        finally:
            for model in models.values():
                await model.close()

    return run_to_end(main())


@pytest.mark.slow
def test_variant_is_its_model_with_other_parameters():
    with ScriptedServer([answer("ok")]) as server:
        providers = {
            "openai": ProviderSettings(api_base=server.url, parameters={"top_p": 0.5}),
            "openai/o4-mini": ProviderSettings(temperature=1.0, parameters={"reasoning_effort": "low", "store": False}),
            "openai/o4-mini#high": ProviderSettings(parameters={"reasoning_effort": "high"}),
        }
        models = create_all(["openai/o4-mini", "openai/o4-mini#high"], providers)
        answers = ask(models)
    assert list(models) == [model.name for model in models.values()] == ["openai/o4-mini", "openai/o4-mini#high"]
    assert [asked.body["model"] for asked in server.asked] == ["o4-mini", "o4-mini"]
    assert [asked.body["reasoning_effort"] for asked in server.asked] == ["low", "high"]
    assert all(asked.body["store"] is False and "top_p" not in asked.body for asked in server.asked)
    assert [answer.params["model"] for answer in answers] == ["openai/o4-mini"] * 2


def test_variant_shares_the_quota_of_its_model_by_default():
    own, provider = ProviderSettings(concurrency=1), ProviderSettings(concurrency=8)
    assert throttle_owner("openai/a#b", {"openai": provider, "openai/a#b": ProviderSettings()}) == "openai"
    assert throttle_owner("openai/a#b", {"openai/a": own, "openai/a#b": ProviderSettings()}) == "openai/a"
    assert throttle_owner("openai/a#b", {"openai/a": own, "openai/a#b": own}) == "openai/a#b"
    assert settings_of("openai/a#b", {"openai": provider, "openai/a": own}).concurrency == 1


def test_variant_without_settings_is_refused():
    with pytest.raises(UsageError, match=r'the variant openai/o4-mini#high .*\[providers\."openai/o4-mini#high"\]'):
        create_all(["openai/o4-mini#high"], {"openai/o4-mini": ProviderSettings()})


@pytest.mark.parametrize("name", ["reasoning_effort", "top_p"])
def test_error_for_a_list_of_values_suggests_variants(name):
    given = {"models": ["sim/expert"], "providers": {"openai/o4-mini": {"parameters": {name: ["low", "high"]}}}}
    with pytest.raises(UsageError, match=f"{name} accepts a single value.*list variants of the model"):
        settings.experiment(given)
    settings.experiment({"providers": {"openai": {"parameters": {"stop": ["a", "b"]}}}})


def test_a_model_listed_twice_is_refused():
    with pytest.raises(UsageError, match=r"the model openai/gpt-4\.1 is listed twice"):
        settings.experiment({"models": ["openai/gpt-4.1", "sim/expert", " openai/gpt-4.1"]})


@pytest.mark.parametrize(
    ("prices", "usage", "cost"),
    [
        (OWN_PRICE, {"prompt_tokens": 1000, "completion_tokens": 100}, 0.003),
        ({**OWN_PRICE, "cached_input_price": 0.5},
         {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 800}}, 0.0018),
        (OWN_PRICE, {"prompt_tokens": 1000, "completion_tokens": 100, "cost": 0.25}, 0.003),
        (OWN_PRICE, None, None),
    ],
    ids=["plain", "cached", "over-the-providers", "no-counts"],
)  # fmt: skip
def test_experiment_price_applies_to_custom_server(prices, usage, cost):
    with ScriptedServer([answer("ok", usage=usage)]) as server:
        models = create_all(["house"], {"house": ProviderSettings(api_base=server.url, **prices)})
        (completion,) = ask(models)
    assert completion.cost_usd == (cost if cost is None else pytest.approx(cost))
    assert completion.cost_source == (None if cost is None else "experiment")


def test_worst_case_and_plan_use_the_experiment_price():
    given = {
        "models": "house",
        "frameworks": "qiskit",
        "limit": 1,
        "api_base": "http://127.0.0.1:9/v1",
        "providers": {"house": {**OWN_PRICE, "cached_input_price": 4.0}},
    }
    experiment = settings.experiment(given)
    model = create_all(experiment.models, experiment.providers, api_base=experiment.api_base)["house"]
    worst = model.worst_case(REQUEST.messages, 1000)
    assert worst.cost_usd == pytest.approx(((worst.tokens - 1000) * 4 + 1000 * 10) / 1e6)
    assert plan(experiment, None)["models"][0]["cost_usd"]["least"] > 0


@pytest.mark.parametrize("prices", [{"input_price": 1.0}, {"output_price": 1.0}, {"cached_input_price": 1.0}])
def test_half_a_price_is_refused(prices):
    with pytest.raises(ValidationError, match=r"set together|require"):
        ProviderSettings(**prices)


@pytest.mark.parametrize(
    ("usage", "spent"),
    [({"prompt_tokens": 100, "completion_tokens": 20}, 120), (None, "worst case")],
    ids=["no total", "no counts"],
)
def test_budget_without_reported_total_or_counts(tmp_path: Path, usage, spent):
    async def main(url: str) -> tuple[Spend, int]:
        store = RunStore.create(tmp_path, Manifest.from_json({"experiment": {}}))
        model = create_all(["house"], {}, api_base=url)["house"]
        await answer_in(store, SpendingLimits(None, 10_000, store.spending), model, REQUEST, "k")
        await model.close()
        await store.close()
        return store.spending.total, model.worst_case(REQUEST.messages, REQUEST.max_tokens).tokens

    with ScriptedServer([answer("ok", usage=usage)]) as server:
        total, worst = run_to_end(main(server.url))
    assert total.tokens == (worst if spent == "worst case" else spent)


@pytest.mark.parametrize("value", [None, "", "  "], ids=["unset", "empty", "blank"])
def test_missing_keys_are_named_before_writing(tmp_path: Path, monkeypatch, value):
    for name in KEYS:
        monkeypatch.delenv(name) if value is None else monkeypatch.setenv(name, value)
    given = {
        "models": ["openai/gpt-4.1", "anthropic/claude-sonnet-4-5", "house/one"],
        "providers": {"house/one": {"api_base": "http://127.0.0.1:9/v1", "api_key_env": "HOUSE_KEY"}},
    }
    with pytest.raises(UsageError) as caught:
        run_setup.start(given, out=tmp_path / "run", data=None, executor=ExecutorOptions())
    assert all(name in str(caught.value) for name in (*KEYS, "HOUSE_KEY", "openai/gpt-4.1", "house/one"))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_only_a_run_with_pending_episodes_needs_its_key(tmp_path: Path, monkeypatch):
    def script(asked: ReceivedRequest) -> Reply:
        return answer("no code") if asked.number == 0 or welcome else unauthorized()

    def resume() -> int:
        opened = run_setup.resume(tmp_path / "run", providers, data=None, executor=ExecutorOptions(workers=1))
        return session.drive(opened, concurrency=1, progress=run_progress(opened, quiet=True)).pending

    welcome: list[bool] = []
    monkeypatch.setenv("HOUSE_KEY", "sk-of-this-house")
    with ScriptedServer(script) as server:
        providers = {"providers": {"openai": {"api_base": server.url, "api_key_env": "HOUSE_KEY"}}}
        given = {"models": ["openai/m"], "frameworks": ["qiskit"], "limit": 1, "max_attempts": 1, **providers}
        opened = run_setup.start(given, out=tmp_path / "run", data=None, executor=ExecutorOptions(workers=1))
        with pytest.raises(UsageError, match="access refused"):
            session.drive(opened, concurrency=1, progress=run_progress(opened, quiet=True))
        monkeypatch.delenv("HOUSE_KEY")
        with pytest.raises(UsageError, match="HOUSE_KEY"):
            resume()
        monkeypatch.setenv("HOUSE_KEY", "sk-of-this-house")
        welcome.append(True)
        assert resume() == 0
        monkeypatch.delenv("HOUSE_KEY")
        assert resume() == 0


def test_price_may_change_between_sessions():
    priced = ProviderSettings(concurrency=2, **OWN_PRICE)
    assert priced.model_dump(exclude=set(PACE)) == ProviderSettings().model_dump(exclude=set(PACE))
    assert json.loads(json.dumps(priced.model_dump(mode="json"))) == {"concurrency": 2, **OWN_PRICE}
