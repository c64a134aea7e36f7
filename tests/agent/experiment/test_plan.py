"""What a plan says, by hand; and that it spends and writes nothing."""

import json
import sys
from pathlib import Path

import pytest
from experiment_options import by_path

from repair_bench.agent.experiment import settings
from repair_bench.agent.experiment.plan import plan as make_plan
from repair_bench.cli import main


def plan(**flags: object) -> dict:
    return make_plan(settings.experiment(settings.collect(None, (), by_path(flags))), None)


def test_first_answers_are_shared_by_the_arms() -> None:
    found = plan(feedback=["default", "verdict", "none"], limit=2, samples=2, temperature=0.8, max_attempts=4)
    (model,) = found["models"]
    assert model["first_answers"] == 2 * 3 * 2
    assert model["episodes"] == 3 * model["first_answers"]
    assert model["calls"] == {"least": 12, "most": 12 + 36 * 4}
    assert model["cost_usd"] == {"least": 0.0, "most": 0.0}


def test_a_priced_model_has_a_cost_and_an_unpriced_one_none() -> None:
    found = plan(model=["openai/gpt-4.1", "openai/a-model-without-a-price"], limit=1, framework=["qiskit"])
    priced, unpriced = found["models"]
    assert 0 < priced["cost_usd"]["least"] < priced["cost_usd"]["most"]
    assert 0 < priced["tokens"]["least"] < priced["tokens"]["most"]
    assert unpriced["cost_usd"] == {"least": None, "most": None}


@pytest.mark.slow
def test_a_whole_conversation_costs_more_than_the_last_attempt() -> None:
    whole, last = (plan(model=["openai/gpt-4.1"], limit=1, history=[h])["models"][0] for h in ("whole", "last"))
    assert whole["tokens"]["least"] == last["tokens"]["least"]
    assert whole["tokens"]["most"] > last["tokens"]["most"]


def test_the_command_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["repair-bench", "run", "--plan", "--limit", "1", "--json"])
    with pytest.raises(SystemExit):
        main()
    assert json.loads(capsys.readouterr().out)["tasks"] == 3
    assert list(tmp_path.iterdir()) == []
