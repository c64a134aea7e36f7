"""Experiments that would send duplicate requests are refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from repair_bench.agent.experiment.feasibility import check_repetition
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.settings import experiment as checked
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError


@pytest.fixture(scope="module")
def few(suite: Suite) -> Suite:
    """Return the first problems of the built-in suite, whose prompts are complete without their starter code."""
    return replace(suite, tasks=suite.tasks[:9])


@pytest.fixture(scope="module")
def holding(few: Suite) -> Suite:
    """Return a suite whose prompts contain their starter code, as in published suites."""
    tasks = tuple(replace(t, suite="published", prompt=f"{t.prompt}\n{t.starter}") for t in few.tasks)
    return replace(few, name="published", tasks=tasks)


def check(suite: Suite, **fields: Any) -> int:
    """Return the number of checked episodes, if none repeats another."""
    experiment: Experiment = checked({"suites": [suite.name], **fields})
    episodes = list(experiment.episodes([suite]))
    check_repetition(episodes)
    return len(episodes)


@pytest.mark.parametrize("first", [0.0, 0])
def test_samples_at_temperature_0_are_refused(few: Suite, first: float) -> None:
    with pytest.raises(
        UsageError,
        match=r"use --samples 1, a temperature above 0 .such as --temperature 0.8., or -c temperature.first=provider",
    ):
        check(few, samples=2, temperature={"first": first})


@pytest.mark.parametrize("first", [0.8, 1e-6, "provider"])
def test_samples_at_other_temperatures_are_accepted(few: Suite, first: Any) -> None:
    assert check(few, samples=2, temperature={"first": first}) == 2 * len(few.tasks)


def test_starter_setting_without_effect_is_refused(few: Suite, holding: Suite) -> None:
    prompt = {"starter": [True, False]}
    check(few, prompt=prompt)
    for given in (prompt, {"starter": False}):
        with pytest.raises(UsageError, match="starter = false has no effect on published"):
            check(holding, prompt=given)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (
            {"repair": {"feedback": "none", "history": ["whole", "last"]}},
            "the conditions none+whole and none+last differ only in history, which does not change any message",
        ),
        (
            {"repair": {"feedback": ["default", "verdict"]}, "max_attempts": 0},
            "the conditions default and verdict differ only in feedback, which does not change",
        ),
        (
            {"prompt": [{"name": "a"}, {"name": "b", "system": "default"}]},
            "the conditions a and b differ only in name, which does not change",
        ),
        (
            {"prompt": [{"name": "a", "system_text": ""}, {"name": "b", "system_text": " "}]},
            "the conditions a and b differ only in system, which does not change",
        ),
    ],
)
def test_conditions_with_equal_messages_are_refused_by_name(few: Suite, fields: Any, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        check(few, **fields)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"repair": {"feedback": ["default", "verdict", "none", "shuffled"], "history": "last"}},
        {"repair": {"feedback": "default", "history": ["whole", "last"]}},
        {"repair": {"feedback": ["default", "none"], "history": ["whole", "last"]}},
        {"prompt": {"system": ["default", "minimal"], "assistant_prefill": [True, False]}},
        {"prompt": [{"name": "a", "max_completion_tokens": 9}, {"name": "b", "max_completion_tokens": 99}]},
    ],
)
def test_conditions_with_different_requests_are_accepted(few: Suite, fields: Any) -> None:
    assert check(few, **fields) > len(few.tasks)


def test_one_repeating_suite_among_several_is_refused(few: Suite, holding: Suite) -> None:
    experiment = checked({"suites": ["aligned", "published"], "prompt": {"starter": [True, False]}})
    with pytest.raises(UsageError, match="on published, whose"):
        check_repetition(experiment.episodes([few, holding]))


@pytest.mark.parametrize("plan", [pytest.param((), marks=pytest.mark.slow), ("--plan",)])
def test_refused_run_prints_one_line_and_writes_nothing(cli: Any, tmp_path: Path, plan: tuple[str, ...]) -> None:
    done = cli("run", "--samples", "3", "--limit", "1", "--framework", "qiskit", "--out", "run", *plan)
    assert done.returncode == 2
    refusals = [line for line in done.stderr.splitlines() if not line.startswith("sandbox: ")]
    assert len(refusals) == 1
    assert "samples at temperature 0" in refusals[0]
    assert not (tmp_path / "run").exists()
