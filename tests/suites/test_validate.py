"""Every reference of the built-in suite passes its own check."""

import asyncio
from collections.abc import Iterator

import pytest

from repair_bench import suites
from repair_bench.executors import LocalExecutor
from repair_bench.suites.validate import validate


@pytest.fixture
def executor() -> Iterator[LocalExecutor]:
    executor = LocalExecutor(workers=2)
    yield executor
    executor.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["qiskit", "cirq", "pennylane"])
def test_every_reference_of_the_built_in_suite_passes(executor: LocalExecutor, framework: str) -> None:
    suite = asyncio.run(suites.load("aligned", frameworks=[framework]))
    rows = asyncio.run(validate(suite, executor.run))
    assert {row["id"]: row["detail"] for row in rows if row["result"] != "pass"} == {}
