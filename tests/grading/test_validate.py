"""Every reference of the built-in suite passes its own check."""

import asyncio

import pytest

from repair_bench import suites
from repair_bench.executors import LocalExecutor
from repair_bench.grading.validate import validate


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["qiskit", "cirq", "pennylane"])
def test_every_reference_of_the_built_in_suite_passes(executor: LocalExecutor, framework: str) -> None:
    suite = asyncio.run(suites.load("aligned", frameworks=[framework]))
    rows = asyncio.run(validate(suite, executor))
    assert {row["id"]: row["detail"] for row in rows if row["result"] != "pass"} == {}
