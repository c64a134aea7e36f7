"""One executor in the full sandbox and one without, among surroundings that are worth an attack."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from surroundings import Range, Surroundings

from repair_bench.executors import LocalExecutor

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The whole catalogue is run by itself, on a machine with nothing else to do: `make test-hostile`."""
    for item in items:
        if item.path.parent == HERE and item.get_closest_marker("slow"):
            item.add_marker("hostile")


@pytest.fixture(scope="session")
def around() -> Iterator[Surroundings]:
    with Surroundings() as around:
        yield around


@pytest.fixture(scope="session")
def sandboxed(around: Surroundings) -> Iterator[Range]:
    executor = LocalExecutor(workers=2)
    yield Range(around, executor)
    executor.shutdown()


@pytest.fixture(scope="session")
def plain(around: Surroundings) -> Iterator[Range]:
    executor = LocalExecutor(workers=2, require_sandbox="none")
    yield Range(around, executor, bounded=True)
    executor.shutdown()
