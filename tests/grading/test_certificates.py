"""Certificates of the built-in and the published suites."""

from dataclasses import replace
from pathlib import Path

import pytest
from sampled import LONG

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.frameworks import USUAL
from repair_bench.grading.audit import Settings, audit
from repair_bench.grading.audit.trivial_baselines import TRIVIAL

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("framework", "rests"), [("pennylane", {0}), ("cirq", {1}), ("qiskit", {2, 3})])
def test_certificate_of_the_built_in_suite(executor: LocalExecutor, framework: str, rests: set[int]) -> None:
    """Audit every second task in one framework, with fourteen mutants each. `test_answers_in_openqasm3` audits all."""
    suite = run_to_end(suites.load("aligned", frameworks=[framework], run=executor.run))
    some = tuple(task for number, task in enumerate(suite.tasks) if number % 8 in rests)
    figures = run_to_end(audit(replace(suite, tasks=some), executor, Settings(mutants_per_task=14))).totals()["all"]
    assert figures["tasks"] == len(some)
    assert figures["references"] == {"pass": len(some)}
    assert figures["passed_by"] == {name: [] for name in TRIVIAL}
    assert (figures["sound"], figures["blanks_pass"]["sound"]) == (len(some), [])
    assert figures["fewest_mutants_run"] >= 10
    assert figures["score"] >= 0.97
    assert figures["exact"] == {"draws": 1_000 * len(some), "rejected": 0}
    assert figures["sampled"] == {"draws": 0, "rejected": 0}  # its answers are not sampled
    assert (figures["flips"], figures["faults"]) == ([], 0)


def test_certificate_of_the_suite_conventions(executor: LocalExecutor) -> None:
    """Audit every family in one framework, with three mutants each.

    Some calls intentionally do not depend on a convention, so more mutants are right than in `aligned`.
    """
    suite = run_to_end(suites.load("conventions?bits=0", frameworks=USUAL))
    some = tuple(task for number, task in enumerate(suite.tasks) if number % 3 == number // 3 % 3)
    figures = run_to_end(audit(replace(suite, tasks=some), executor, Settings(20, 3, 1))).totals()["all"]
    assert figures["tasks"] == len(some) == 17
    assert figures["references"] == {"pass": 17}
    assert figures["passed_by"] == {name: [] for name in TRIVIAL}
    assert figures["mutants"]["run"] - figures["mutants"].get("equivalent", 0) >= 40
    assert figures["score"] >= 0.97
    assert figures["faults"] == 0


@pytest.mark.parametrize("name", ["quantum-katas", "qiskit-humaneval", "qiskit-humaneval-hard", "quanbench-plus"])
def test_baselines_that_pass_published_tests_are_weak_or_right(
    name: str, executor: LocalExecutor, datasets: Path
) -> None:
    """Audit a small share of the tasks, with manual errata."""
    suite = run_to_end(
        suites.load(name, data=datasets / name.removesuffix("-hard"), frameworks=["qiskit"], run=executor.run)
    )
    some = [task for task in suite.tasks if sum(map(ord, task.id)) % 20 == 2 and task.id not in LONG]
    found = run_to_end(audit(replace(suite, tasks=tuple(some)), executor, Settings(mutants_per_task=0, runs=1)))
    for task in found.tasks:
        assert set(task.trivial_baselines) == set(task.weak), task.id
    totals = found.totals()["all"]
    assert totals["blanks_pass"]["sound"] == totals["fooled"] == []
    assert totals["labels"]["weak"] or name == "quanbench-plus"  # whose share has none under the exact rule
    assert totals["sound"]


def test_certificate_of_quanbench_plus_as_released(executor: LocalExecutor, datasets: Path) -> None:
    data = datasets / "quanbench-plus"
    suite = run_to_end(
        suites.load("quanbench-plus", data=data, frameworks=["qiskit"], run=executor.run, rule="released")
    )
    found = run_to_end(audit(suite, executor, Settings(mutants_per_task=0, runs=1)))
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
