"""Settings of arms that are impossible or without effect are refused in one line."""

from dataclasses import replace
from typing import Any

import pytest

from repair_bench.agent.experiment.feasibility import check_repetition, check_settings, check_tasks
from repair_bench.agent.experiment.settings import experiment as checked
from repair_bench.agent.experiment.settings import over_protocol
from repair_bench.suites import conventions
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"critic": {"model": "sim/expert"}}, "the table `critic` has no effect without the feedback policy critic"),
        ({"critic": {"sees": ["task"]}, "repair": {"feedback": "tool", "command": "x"}}, "the table `critic` has no"),
        ({"critic": {"replaces": True}}, "the table `critic` has no effect"),
        ({"critic": {"sees": []}, "repair": {"feedback": "critic"}}, "critic.sees"),
        ({"repair": {"command": "ruff check {file}"}}, "repair.command has no effect without the feedback policy tool"),
        ({"repair": {"feedback": "critic", "command": "ruff"}}, "repair.command has no effect"),
        ({"repair": {"restart": 5}}, "repair.restart = 5 has no effect with 5 repairs"),
        ({"repair": {"restart": [0, 7]}}, "repair.restart = 7 has no effect"),
        ({"repair": {"history": "best"}, "max_attempts": 1}, "history = best is the same as last"),
        ({"repair": {"history": ["whole", "best"], "restart": 1}}, "history = best is the same as last"),
        ({"repair": {"history": "last", "feedback": "none"}}, "repair.history has no effect if feedback is none"),
        ({"repair": {"restart": 2, "feedback": "none"}}, "repair.restart has no effect if feedback is none"),
    ],
)
def test_settings_without_effect_are_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as refused:
        check_settings(checked(fields))
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"repair": {"feedback": ["default", "critic"]}, "critic": {"model": "sim/expert", "replaces": True}},
        {"repair": {"feedback": ["tool", "none"], "command": "ruff check {file}", "history": "last"}},
        {"repair": {"history": ["last", "best"], "restart": 2}, "max_attempts": 3},
        {"repair": {"history": "best"}, "max_attempts": 2},
        over_protocol({"protocol": "quanbench-plus-paper", "repair": {"feedback": "none"}}),
    ],
)
def test_settings_with_effect_are_taken(fields: dict[str, Any]) -> None:
    check_settings(checked(fields))


@pytest.mark.slow
def test_questions_and_probes_need_tasks_for_them(suite: Suite) -> None:
    few = replace(suite, tasks=tuple(task for task in suite.tasks if task.framework == "qiskit")[:2])
    unknown = replace(few, tasks=tuple(replace(task, reference=None) for task in few.tasks))
    asking, probing = checked({"tools": {"ask": 2}}), checked({"repair": {"probe": True}})
    check_tasks(asking, [few], asking.episodes([few]))
    with pytest.raises(UsageError, match=r"tools\.ask has no effect"):
        check_tasks(asking, [unknown], asking.episodes([unknown]))
    with pytest.raises(UsageError, match=r"repair\.probe has no effect"):
        check_tasks(probing, [few], probing.episodes([few]))
    open_ = conventions.load()
    check_tasks(probing, [open_], probing.episodes([open_]))


@pytest.mark.parametrize("axis", [{"tools": {"ask": [0, 2]}}, {"repair": {"restart": [0, 2]}}])
def test_arms_of_questions_and_restarts_differ(suite: Suite, axis: dict[str, Any]) -> None:
    few = replace(suite, tasks=suite.tasks[:2])
    check_repetition(checked(axis).episodes([few]))
