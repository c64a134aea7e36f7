"""What the certificates of our own suites say."""

import asyncio
from dataclasses import replace

import pytest

from repair_bench import suites
from repair_bench.executors import LocalExecutor
from repair_bench.grading.audit import Settings, audit
from repair_bench.grading.audit.blanks import BLANKS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("framework", ["qiskit", "pennylane", "cirq"])
def test_the_certificate_of_the_built_in_suite(executor: LocalExecutor, framework: str) -> None:
    suite = asyncio.run(suites.load("aligned", frameworks=[framework], run=executor.run))
    figures = asyncio.run(audit(suite, executor, Settings(mutants_per_task=14))).totals()["all"]
    assert figures["tasks"] == 42
    assert figures["references"] == {"pass": 42}
    assert figures["passed_by"] == {name: [] for name in BLANKS}
    assert (figures["sound"], figures["blanks_pass"]["sound"]) == (42, [])
    assert figures["fewest_mutants_run"] >= 10
    assert figures["score"] >= 0.97
    assert figures["exact"] == {"draws": 42_000, "rejected": 0}
    assert figures["sampled"] == {"draws": 0, "rejected": 0}  # samples are no answer there
    assert (figures["flips"], figures["faults"]) == ([], 0)


def test_the_certificate_of_the_suite_conventions(executor: LocalExecutor) -> None:
    """Every family in one framework or another, three mutants each. Some of its calls are blind to a convention on
    purpose, so that more mutants are right than in `aligned`: of the others as many are rejected.
    """
    suite = asyncio.run(suites.load("conventions?bits=0"))
    some = tuple(task for number, task in enumerate(suite.tasks) if number % 3 == number // 3 % 3)
    figures = asyncio.run(audit(replace(suite, tasks=some), executor, Settings(20, 3, 1))).totals()["all"]
    assert figures["tasks"] == len(some) == 17
    assert figures["references"] == {"pass": 17}
    assert figures["passed_by"] == {name: [] for name in BLANKS}
    assert figures["mutants"]["run"] - figures["mutants"].get("equivalent", 0) >= 40
    assert figures["score"] >= 0.97
    assert figures["faults"] == 0
