"""What the certificates of published suites say."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from repair_bench import suites
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.audit import Settings, audit

pytestmark = pytest.mark.slow

HEAVY = {"tutorials/RandomNumberGeneration/1", "qiskitHumanEval/96", "qiskitHumanEval/100"}


@pytest.mark.parametrize("name", ["quantum-katas", "qiskit-humaneval", "qiskit-humaneval-hard", "quanbench-plus"])
def test_what_blanks_pass_of_a_published_suite_is_named_weak_or_right_and_no_referee_fools_a_test(
    name: str, executor: LocalExecutor, datasets: Path
) -> None:
    """A tenth of the tasks, all by hand: no blank passes a sound one."""
    suite = asyncio.run(
        suites.load(name, data=datasets / name.removesuffix("-hard"), frameworks=["qiskit"], run=executor.run)
    )
    some = [task for task in suite.tasks if sum(map(ord, task.id)) % 10 == 3 and task.id not in HEAVY]
    found = asyncio.run(audit(replace(suite, tasks=tuple(some)), executor, Settings(mutants_per_task=0, runs=1)))
    for task in found.tasks:
        assert set(task.blanks) == set(task.weak), task.id
    totals = found.totals()["all"]
    assert totals["blanks_pass"]["sound"] == totals["fooled"] == []
    assert totals["labels"]["weak"] or name == "quanbench-plus"  # whose tenth has none under the exact rule
    assert totals["sound"]


def test_the_certificate_of_quanbench_plus_as_released(executor: LocalExecutor, datasets: Path) -> None:
    data = datasets / "quanbench-plus"
    suite = asyncio.run(
        suites.load("quanbench-plus", data=data, frameworks=["qiskit"], run=executor.run, rule="released")
    )
    found = asyncio.run(audit(suite, executor, Settings(mutants_per_task=0, runs=1)))
    tasks = {task.id: task for task in found.tasks}
    accepted = {task_id: task.accepted for task_id, task in tasks.items() if task.accepted < 1}
    assert accepted == {"04": pytest.approx(0.5, abs=0.05), "08": pytest.approx(0.06, abs=0.03),
                        "10": pytest.approx(0.9, abs=0.04)}  # fmt: skip
    passed_by = found.totals()["all"]["passed_by"]
    assert len(passed_by["empty"]) == 9
    assert found.totals()["all"]["blanks_pass"]["sound"] == []
    assert passed_by["hadamards"] == ["08 qiskit", "18 qiskit", "39 qiskit", "40 qiskit", "41 qiskit", "42 qiskit"]
    phantom = found.totals()["all"]["phantom_repair"]
    assert 100 * phantom["tasks"] / phantom["of"] == pytest.approx(1.8, abs=0.2)
