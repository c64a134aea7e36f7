"""The settings of providers: precedence, pace, and refused values."""

import asyncio
import itertools

import pytest
from asking import REQUEST, answer_of
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from server.scripted import USAGE, ScriptedServer, answer, most_in_flight, rate_limited, server_error

from repair_bench.agent.models import Model, ProviderSettings, Request, create, create_all
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.agent.models.network.providers import Throttle, settings_of
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.coroutines import run_to_end
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion


def ask(*models: Model, times: int = 1) -> list[Completion]:
    """Send each model the same request, `times` times, concurrently."""

    async def main() -> list[Completion]:
        try:
            return await asyncio.gather(*(answer_of(m, REQUEST) for _ in range(times) for m in models))
        finally:
            for model in models:
                await model.close()

    return run_to_end(main())


def test_model_settings_override_provider_settings_by_field():
    providers = {
        "openai": ProviderSettings(concurrency=3, requests_per_minute=60),
        "openai/o3": ProviderSettings(concurrency=1, temperature=1.0),
    }
    assert settings_of("openai/gpt-4.1", providers) == providers["openai"]
    assert settings_of("anthropic/claude", providers) == ProviderSettings()
    own = settings_of("openai/o3", providers)
    assert (own.concurrency, own.requests_per_minute, own.temperature) == (1, 60, 1.0)
    again = {name: ProviderSettings(**one.model_dump(mode="json")) for name, one in providers.items()}
    assert settings_of("openai/o3", again) == own


def test_models_of_a_provider_share_its_concurrency():
    script, most = most_in_flight()
    with ScriptedServer(script) as server:
        providers = {"openai": ProviderSettings(concurrency=2, api_base=server.url)}
        ask(*create_all(["openai/gpt-4.1", "openai/gpt-4.1-mini"], providers).values(), times=4)
    assert most() == 2
    assert len(server.asked) == 8


def test_model_with_its_own_quota_does_not_wait_for_others():
    script, most = most_in_flight()
    with ScriptedServer(script) as server:
        providers = {
            "openai": ProviderSettings(concurrency=1, api_base=server.url),
            "openai/gpt-4.1": ProviderSettings(concurrency=3),
        }
        models = create_all(["openai/gpt-4.1", "openai/gpt-4.1-mini"], providers)
        assert len({id(m.quota) for m in models.values()}) == 2
        ask(models["openai/gpt-4.1"], times=6)
    assert most() == 3


def test_turns_are_evenly_spaced_without_a_burst():
    async def main() -> list[float]:
        throttle = Throttle(ProviderSettings(requests_per_minute=3000))
        taken: list[float] = []

        async def take() -> None:
            await throttle.turn(REQUEST)
            taken.append(asyncio.get_running_loop().time())

        await asyncio.gather(*(take() for _ in range(10)))
        return taken

    taken = run_to_end(main())
    assert min(b - a for a, b in itertools.pairwise(taken)) > 0.019  # of 0.02: a late turn delays the next one


def test_every_request_takes_a_turn_including_repeats():
    class Counted(Throttle):
        turns = 0

        async def turn(self, _: Request) -> None:
            self.turns += 1

    with ScriptedServer([rate_limited(0), server_error(), answer("ok")]) as server:
        settings = ProviderSettings(api_base=server.url)
        throttle = Counted(settings)
        quick = RetryPolicy(first_wait=0.001, longest_wait=0.001)
        (completion,) = ask(LiteLLMModel("openai/gpt-4.1", settings, throttle=throttle, retry=quick))
    assert completion.requests == len(server.asked) == throttle.turns == 3


def test_a_forced_temperature_is_sent_in_place_of_the_experiments():
    with ScriptedServer([answer("ok")]) as server:
        settings = ProviderSettings(api_base=server.url, temperature=1.0, parameters={"top_p": 0.5, "top_k": 3})
        (completion,) = ask(create("openai/gpt-4.1", settings))
    assert server.asked[0].body["temperature"] == completion.params["temperature"] == 1.0
    assert server.asked[0].body["top_p"] == completion.params["top_p"] == 0.5
    assert server.asked[0].body["top_k"] == 3


def test_key_variable_can_be_named(monkeypatch):
    with ScriptedServer([answer("ok")]) as server:
        settings = ProviderSettings(api_base=server.url, api_key_env="HOUSE_KEY")
        with pytest.raises(UsageError, match="HOUSE_KEY"):
            ask(create("house/model", settings))
        monkeypatch.setenv("HOUSE_KEY", "the-key-of-the-house")
        ask(create("house/model", settings))
    assert [a.headers["authorization"] for a in server.asked] == ["Bearer the-key-of-the-house"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"api_key": "sk-1"},
        {"extra_headers": {"Authorization": "Bearer sk-1"}},
        {"aws_secret_access_key": "1"},
        {"azure_ad_token": "1"},
        {"model": "another"},
        {"n": 5},
    ],
)
def test_keys_and_experiment_settings_are_not_parameters(parameters):
    with pytest.raises(ValidationError, match=r"in an environment variable|set elsewhere in the experiment"):
        ProviderSettings(parameters=parameters)


@pytest.mark.parametrize(
    "field",
    [
        {"concurrency": 0},
        {"requests_per_minute": 0},
        {"timeout_seconds": 0},
        {"temperature": -1},
        {"rpm": 60},
        {"api_key_env": "sk-1"},
    ],
)
def test_settings_that_cannot_work_are_refused(field):
    with pytest.raises(ValidationError):
        ProviderSettings(**field)


def test_prefill_support_is_by_table_or_settings():
    assert create("anthropic/claude-sonnet-4-5").supports_prefill
    assert not create("openai/gpt-4.1").supports_prefill
    assert not create("openai/house-model").supports_prefill
    assert create("openai/house-model", ProviderSettings(assistant_prefill=True)).supports_prefill


@pytest.mark.parametrize(
    ("usage", "cost", "source"),
    [
        ({**USAGE, "cost": 0.25}, 0.25, "provider"),
        ({**USAGE, "cost": 0.0}, 0.0, "provider"),
        (USAGE, 100 * 2e-6 + 20 * 8e-6, "litellm"),
        (None, None, None),
    ],
)
def test_source_of_a_cost_is_recorded(usage, cost, source):
    with ScriptedServer([answer("ok", usage=usage)]) as server:
        (completion,) = ask(create("openai/gpt-4.1", ProviderSettings(api_base=server.url)))
    assert completion.cost_usd == (cost if cost is None else pytest.approx(cost, rel=1e-12))
    assert (completion.usage is None) == (usage is None)
    assert (completion.cost_source or "").partition(" ")[0] == (source or "")
    assert source != "litellm" or completion.cost_source.count(".") == 2


@given(st.lists(st.text(max_size=60), max_size=4))
def test_worst_case_exceeds_prompt_and_longest_answer(texts):
    import litellm

    messages = [{"role": "user", "content": text} for text in texts]
    worst = create("openai/gpt-4").worst_case(messages, 50)
    assert worst.tokens >= litellm.token_counter(model="gpt-4", messages=messages) + 50
    assert worst.cost_usd == pytest.approx((worst.tokens - 50) * 30e-6 + 50 * 60e-6)
