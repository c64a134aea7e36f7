from typing import Any

import pytest

from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.runs.join_runs import choose, join
from repair_bench.analysis.runs.notices import notices
from repair_bench.report.sections import data, run_data
from repair_bench.testing.made_up_runs import run
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import Run


def made(model, repairs=2, **experiment):
    attempts, manifest = run(models=(model,), tasks=2, repairs=repairs)
    stated: Any = manifest.experiment
    stated.update(experiment)
    return Run(manifest.replaced(episodes=6, labels={"wrong": [["aligned", "01"]]}), attempts, [])


def test_joining_one_run_returns_it():
    one = made("a")
    assert join([one], ["a"]) is one


def test_two_runs_are_joined():
    found = join([made("a", rule="exact"), made("sim/b", repairs=3, rule="paper")], ["runs/a", "runs/b"])
    assert found.manifest.repairs == 2
    assert found.manifest.simulated == ["sim/b"]
    assert found.manifest.episodes == 12
    assert found.manifest.doubted == {("aligned", "01"): ("wrong",)}
    assert found.notes == [
        "The runs have 2, 3 repair rounds; figures include 2.",
        'runs/a and runs/b differ: rule: "exact" -> "paper"',
    ]
    rows = data(run_data(found.manifest, found.rows))["frameworks"]["rows"]
    assert [row["model"] for row in rows] == ["a", "sim/b"]


def notices_of(*runs):
    joined = join(runs, ["x", "y", "z"][: len(runs)])
    return " ".join(notices(episodes(joined.rows), joined.manifest))


def test_adaptive_stopping_of_one_run_is_noted():
    assert "ADAPTIVE STOPPING" in notices_of(made("a"), made("b", repair={"stop": "value"}))


def test_stored_answers_of_all_runs_are_counted_once():
    one = {"kind": "fork", "digest": "1", "graded": 40, "paths": 20, "others": 2}
    two = {"kind": "fork", "digest": "2", "graded": 1000, "paths": 300}
    fork = {"kind": "fork", "digest": "3", "paths": 7}
    said = notices_of(made("a", origin=fork), made("b", origin=one), made("c", origin=two))
    assert "of 1,040 answers, 320 failed" in said
    assert "contains 2 other answers" in said
    assert "of 40 answers, 20 failed" in notices_of(made("a", origin=one), made("b", origin=one))


def test_a_regraded_run_is_noted_in_any_place():
    regrade = {"kind": "regrade", "of": {"kind": "fork"}}
    assert join([made("a", origin={"kind": "fork"}), made("b", origin=regrade)], ["x", "y"]).manifest.is_regrade


def test_duplicate_episodes_are_refused():
    with pytest.raises(UsageError, match="x and y contain the same episodes"):
        join([made("a"), made("a")], ["x", "y"])


def test_conditions_with_one_name_and_two_settings_are_refused():
    one = made("a", conditions={"default": {"feedback": "default", "max_attempts": 2}})
    two = made("b", conditions={"default": {"feedback": "verdict", "max_attempts": 2}})
    longer = made("c", conditions={"default": {"feedback": "default", "max_attempts": 5}})
    with pytest.raises(UsageError, match="Condition default of y has different settings"):
        join([one, two], ["x", "y"])
    assert join([one, longer], ["x", "z"]).rows


ATTEMPTS, _ = run(tasks=3, repairs=1)


def test_choices_of_one_field_are_alternatives():
    found = choose(ATTEMPTS, ["framework=cirq", "framework=qiskit", "task_id=01"])
    assert {(a.framework, a.task_id) for a in found} == {("cirq", "01"), ("qiskit", "01")}
    assert choose(ATTEMPTS, []) == ATTEMPTS


@pytest.mark.parametrize(
    ("only", "says"),
    [
        ("framework", "is not FIELD=VALUE"),
        ("colour=red", "from model, suite, framework"),
        ("framework=braket", "Choose from cirq, pennylane, qiskit"),
    ],
)
def test_invalid_choices_are_refused(only, says):
    with pytest.raises(UsageError, match=says):
        choose(ATTEMPTS, [only])


def test_selected_part_of_a_run_is_not_partial():
    assert Manifest.from_json({"episodes": 9, "simulated": []}).of_part().stated == {"simulated": []}
