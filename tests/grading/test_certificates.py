"""What the certificates of our own suites say."""

import asyncio
from dataclasses import replace

import pytest

from repair_bench import suites
from repair_bench.executors.local import LocalExecutor
from repair_bench.frameworks import USUAL
from repair_bench.grading.audit import Settings, audit
from repair_bench.grading.audit.trivial_baselines import BLANKS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("framework", "part"), [("qiskit", slice(None)), ("pennylane", slice(0, None, 2)), ("cirq", slice(1, None, 2))]
)
def test_the_certificate_of_the_built_in_suite(executor: LocalExecutor, framework: str, part: slice) -> None:
    """Every task in Qiskit and in one of the others, each with fourteen mutants."""
    suite = asyncio.run(suites.load("aligned", frameworks=[framework], run=executor.run))
    some = suite.tasks[part]
    figures = asyncio.run(audit(replace(suite, tasks=some), executor, Settings(mutants_per_task=14))).totals()["all"]
    assert figures["tasks"] == len(some)
    assert figures["references"] == {"pass": len(some)}
    assert figures["passed_by"] == {name: [] for name in BLANKS}
    assert (figures["sound"], figures["blanks_pass"]["sound"]) == (len(some), [])
    assert figures["fewest_mutants_run"] >= 10
    assert figures["score"] >= 0.97
    assert figures["exact"] == {"draws": 1_000 * len(some), "rejected": 0}
    assert figures["sampled"] == {"draws": 0, "rejected": 0}  # samples are no answer there
    assert (figures["flips"], figures["faults"]) == ([], 0)


def test_the_certificate_of_the_suite_conventions(executor: LocalExecutor) -> None:
    """Every family in one framework or another, three mutants each. Some of its calls are blind to a convention on
    purpose, so that more mutants are right than in `aligned`: of the others as many are rejected.
    """
    suite = asyncio.run(suites.load("conventions?bits=0", frameworks=USUAL))
    some = tuple(task for number, task in enumerate(suite.tasks) if number % 3 == number // 3 % 3)
    figures = asyncio.run(audit(replace(suite, tasks=some), executor, Settings(20, 3, 1))).totals()["all"]
    assert figures["tasks"] == len(some) == 17
    assert figures["references"] == {"pass": 17}
    assert figures["passed_by"] == {name: [] for name in BLANKS}
    assert figures["mutants"]["run"] - figures["mutants"].get("equivalent", 0) >= 40
    assert figures["score"] >= 0.97
    assert figures["faults"] == 0
