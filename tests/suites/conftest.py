"""Real children of real fork servers, shared by the tests of the suites."""

from collections.abc import Iterator

import pytest

from repair_bench.executors import LocalExecutor


@pytest.fixture(scope="session")
def executor() -> Iterator[LocalExecutor]:
    executor = LocalExecutor(workers=2)
    yield executor
    executor.shutdown()
