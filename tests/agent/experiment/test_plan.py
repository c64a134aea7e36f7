"""Plans, compared with figures computed by hand. A plan spends and writes nothing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from commands import exit_code
from experiment_options import by_path

from repair_bench.agent import run_setup
from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.feasibility import check_tasks
from repair_bench.agent.experiment.plan import plan as make_plan
from repair_bench.executors.options import ExecutorOptions
from repair_bench.suites import aligned
from repair_bench.traces.faults import UsageError


def plan(**flags: object) -> dict:
    return make_plan(settings.experiment(settings.collect(None, (), by_path(flags))), None)


def test_first_answers_are_shared_by_the_arms() -> None:
    found = plan(feedback=["default", "verdict", "none"], limit=2, samples=2, temperature=0.8, max_attempts=4)
    (model,) = found["models"]
    assert model["first_answers"] == 2 * 3 * 2
    assert model["episodes"] == 3 * model["first_answers"]
    assert model["calls"] == {"least": 12, "most": 12 + 36 * 4}
    assert model["cost_usd"] == {"least": None, "most": None}


def test_a_priced_model_has_a_cost_and_an_unpriced_one_none() -> None:
    found = plan(model=["openai/gpt-4.1", "openai/a-model-without-a-price"], limit=1, framework=["qiskit"])
    priced, unpriced = found["models"]
    assert 0 < priced["cost_usd"]["least"] < priced["cost_usd"]["most"]
    assert 0 < priced["tokens"]["least"] < priced["tokens"]["most"]
    assert unpriced["cost_usd"] == {"least": None, "most": None}


@pytest.mark.slow
def test_batched_model_costs_half() -> None:
    few = by_path({"model": ["openai/gpt-4.1"], "limit": 1, "framework": ["qiskit"]})
    whole, half = (
        make_plan(settings.experiment({**few, "providers": {"openai": {"batch": batch}}}), None)["models"][0]
        for batch in (False, True)
    )
    assert (whole["batch"], half["batch"]) == (False, True)
    assert whole["tokens"] == half["tokens"]
    assert half["cost_usd"]["most"] == pytest.approx(whole["cost_usd"]["most"] / 2)


@pytest.mark.slow
def test_full_history_costs_more_than_the_last_attempt() -> None:
    whole, last = (plan(model=["openai/gpt-4.1"], limit=1, history=[h])["models"][0] for h in ("whole", "last"))
    assert whole["tokens"]["least"] == last["tokens"]["least"]
    assert whole["tokens"]["most"] > last["tokens"]["most"]


def test_the_command_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert exit_code("run", "--plan", "--limit", "1", "--json") == 0
    assert json.loads(capsys.readouterr().out)["tasks"] == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_plan_states_whether_the_budget_suffices() -> None:
    def suffices(**budget: float) -> dict:
        asked = {"model": ["openai/gpt-4.1"], "limit": 1, "framework": ["qiskit"], "max_completion_tokens": 200}
        return plan(**asked, **budget)

    free = suffices()
    assert free["budget"]["suffices"] == {"least": None, "most": None}
    cost, tokens = free["models"][0]["cost_usd"], free["models"][0]["tokens"]
    for limit, said in [
        ({"max_cost": cost["least"]}, (False, False)),  # the worst case of a request needs budget too
        ({"max_cost": cost["most"]}, (True, False)),
        ({"max_cost": 2 * cost["most"]}, (True, True)),
        ({"max_cost": 2 * cost["most"], "max_tokens": int(tokens["most"])}, (True, False)),
        ({"max_tokens": 10}, (False, False)),
    ]:
        assert tuple(suffices(**limit)["budget"]["suffices"].values()) == said, limit
    short = plan(model=["openai/gpt-4.1"], limit=1, framework=["qiskit"], max_completion_tokens=1)
    assert short["models"][0]["tokens"]["most"] < tokens["most"]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"models": "openai/gpt-4.1", "budget": {"max_cost": 1.0}}, "set --max-completion-tokens"),
        (
            {"models": "openai/no-price", "budget": {"max_cost": 1.0}, "prompt": {"max_completion_tokens": 9}},
            "is unknown: use --max-tokens",
        ),
        ({"prompt": {"task_template": "Write {{ starter }}"}}, "add {{ prompt }} where"),
        ({"models": "openai/gpt-4.1", "providers": {"opnai": {}}}, "did you mean providers.openai?"),
        ({"models": "openai/gpt-4.1", "providers": {"xx": {}}}, "the models are openai/gpt-4.1"),
    ],
)
def test_a_plan_is_refused_as_a_run_is(values: dict, says: str, tmp_path: Path) -> None:
    experiment = settings.experiment({"limit": 1, **values})
    with pytest.raises(UsageError) as planned:
        make_plan(experiment, None)
    assert says in str(planned.value)
    with pytest.raises(UsageError) as begun:
        run_setup.start({"limit": 1, **values}, out=tmp_path / "run", data=None, executor=ExecutorOptions(1))
    assert str(begun.value) == str(planned.value)
    assert not (tmp_path / "run").exists()


def test_a_suite_without_a_task_in_the_frameworks_is_named() -> None:
    experiment = settings.experiment({"suites": ["quantum-katas", "aligned"], "frameworks": ["cirq"]})
    whole = aligned.load()
    katas = replace(whole, name="quantum-katas", tasks=tuple(t for t in whole.tasks if t.framework == "qiskit"))
    check_tasks(experiment, [whole], [])
    with pytest.raises(UsageError, match="quantum-katas has no tasks in cirq, only in qiskit"):
        check_tasks(experiment, [katas, whole], [])


@pytest.mark.slow
def test_critic_is_priced_by_its_own_model() -> None:
    def made(*overrides: str) -> list[dict]:
        given = by_path({"model": ["openai/gpt-4.1"], "limit": 1, "framework": ["qiskit"], "max_attempts": 3})
        return make_plan(settings.experiment(settings.collect(None, overrides, given)), None)["models"]

    (plain,) = made()
    (own,) = made("repair.feedback=critic")
    assert (own["calls"], own["queries"]) == ({"least": 1, "most": 4 + 3}, {"critic": 3})
    assert own["cost_usd"]["least"] == plain["cost_usd"]["least"]
    solver, critic = made("repair.feedback=critic", "critic.model=openai/gpt-4.1-mini")
    assert (solver["calls"]["most"], solver["queries"]) == (4, {})
    assert (critic["model"], critic["first_answers"], critic["queries"]) == ("openai/gpt-4.1-mini", 0, {"critic": 3})
    assert (critic["calls"], critic["cost_usd"]["least"]) == ({"least": 0, "most": 3}, 0)
    assert plain["cost_usd"]["most"] < solver["cost_usd"]["most"]  # repairs read the analysis
    assert solver["cost_usd"]["most"] + critic["cost_usd"]["most"] < own["cost_usd"]["most"]
    manual = made("repair.feedback=critic", "critic.model=manual/desk")[1]
    assert manual["cost_usd"] == {"least": 0, "most": None}


def test_probes_and_questions_are_requests() -> None:
    def made(**values: object) -> dict:
        given = {"frameworks": ["qiskit"], "max_attempts": 2, **values}
        return make_plan(settings.experiment(given), None)["models"][0]

    probed = made(suites=["conventions?bits=0,2&families=fourier"], repair={"probe": True})
    assert probed["queries"] == {"probe": 2}  # none on the task without an open convention
    assert probed["calls"] == {"least": 2, "most": 2 * 3 + 2}
    assert made(limit=1, tools={"ask": 3})["calls"] == {"least": 1, "most": 3 * 4}


@pytest.mark.slow
def test_plan_counts_tool_runs_and_reasoning_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-plans")

    def made(*overrides: str) -> dict:
        given = by_path({"model": ["openai/o4-mini"], "framework": ["qiskit"], "limit": 1, "max_attempts": 2})
        return make_plan(settings.experiment(settings.collect(None, overrides, given)), None)["models"][0]

    plain, tried, thinking = made(), made("tools.python=2"), made("prompt.thinking_budget=5000")
    assert (plain["calls"], tried["calls"]) == ({"least": 1, "most": 3}, {"least": 1, "most": 9})
    assert tried["cost_usd"]["most"] > 3 * plain["cost_usd"]["most"]
    assert thinking["tokens"]["least"] == plain["tokens"]["least"] + 5000
    assert (plain["reasoning_tokens"], thinking["reasoning_tokens"]) == (None, 5000)
