"""The frameworks that a run starts: those in which a task can be judged, and no others."""

import dataclasses
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from repair_bench import suites
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.run_setup import _free_directory, prepare
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError


def prepared(suite: Suite, executor: LocalExecutor) -> set[str]:
    """Return the frameworks that are started for a suite."""
    experiment = Experiment(models=("sim/novice",), suites=("own",), frameworks=("qiskit", "openqasm3"))
    own = {"own": dataclasses.replace(suite, name="own")}
    return set(run_to_end(prepare(experiment, None, executor, own))[1])


def without(*frameworks: str) -> Suite:
    """Return the built-in suite as loaded on a machine without some frameworks."""
    suite = run_to_end(suites.load("aligned"))
    tasks = [
        dataclasses.replace(task, excluded=f"needs {task.framework}, not installed")
        if task.framework in frameworks
        else task
        for task in suite.tasks
    ]
    return dataclasses.replace(suite, tasks=tuple(tasks))


def test_framework_without_gradable_tasks_is_not_started(executor: LocalExecutor) -> None:
    assert prepared(without("openqasm3"), executor) == {"qiskit"}


def test_error_names_reasons_if_every_task_is_excluded(executor: LocalExecutor) -> None:
    with pytest.raises(UsageError) as refused:
        prepared(without("qiskit", "openqasm3"), executor)
    reasons = "needs openqasm3, not installed; needs qiskit, not installed"
    assert str(refused.value) == f"every task is excluded: {reasons}"


def test_runs_of_the_same_second_have_different_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    now = datetime.now()  # noqa: DTZ005 - names are in local time
    for second in range(10):
        (tmp_path / "runs" / f"{now + timedelta(seconds=second):%Y%m%d-%H%M%S}").mkdir(parents=True)
    assert _free_directory(None).name.endswith("-2")
