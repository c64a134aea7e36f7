"""Hypotheses can be told apart, references pass, and feedback utilisation is computed for a run of the suite."""

from pathlib import Path

import pytest
import python_conventions
from python_conventions.problems import PROBLEMS

import repair_bench
from repair_bench.analysis.feedback_use.use import use_of_feedback
from repair_bench.grading.hypotheses import observer
from repair_bench.traces.run.manifest import Manifest


@pytest.mark.parametrize("name", PROBLEMS)
def test_each_reference_passes_under_one_hypothesis(name):
    made = python_conventions.hypotheses_of(python_conventions.NAME, name, "python")
    for h, outcome in enumerate(made.outcomes):
        passes = [t for t, task in enumerate(made.tasks) if task.check.judge(task, outcome).kind == "pass"]
        assert passes == [h], made.names[h]
    assert len({task.prompt for task in made.tasks}) == 1


def test_references_pass_when_they_are_run():
    suite = python_conventions.load(frameworks=["python"])
    answers = [{"task_id": task.id, "framework": "python", "code": task.reference} for task in suite.tasks]
    assert [line["verdict"] for line in repair_bench.grade(answers, suite)] == ["pass"] * 20


def test_use_of_feedback_is_computed(tmp_path):
    run = repair_bench.run(Path(__file__).with_name("study.toml"), out=tmp_path / "run")
    observed = observer.observed(run)
    assert len(observed) == 3 * 3 * 2 * 20
    assert all(one.explained for one in observed)
    use = {
        arm: use_of_feedback([one for one in observed if one.arm == arm], 3).estimate
        for arm in {one.arm for one in observed}
    }
    by_model = {model: value for (model, _, condition), value in use.items() if condition == "default"}
    assert by_model["sim/observer"] == pytest.approx(1)
    assert by_model["sim/enumerator"] < 0.2 < by_model["sim/consistent"]
    assert {value for (_, _, condition), value in use.items() if condition != "default"} == {None}  # nothing to use


def test_hypotheses_of_a_changed_suite_are_unknown():
    settings = {"frameworks": ["python"], "suite_contents": {"python-conventions": ["1", "another hash"]}}
    assert observer.changed_suites(Manifest({"experiment": settings})) == ["python-conventions"]
