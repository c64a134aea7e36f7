"""Executors in the full sandbox, without namespaces and without any layer, each with targets to attack."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from surroundings import WITHOUT_NAMESPACES, Range, Surroundings

from repair_bench.executors.local import LocalExecutor

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder. They need an idle machine: `make test-hostile`."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker("hostile")
            item.add_marker("slow")


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
def denied(around: Surroundings) -> Iterator[Range]:
    """An executor on a machine without namespaces."""
    executor = LocalExecutor(workers=2, layers=WITHOUT_NAMESPACES)
    yield Range(around, executor)
    executor.shutdown()


@pytest.fixture(scope="session")
def plain(around: Surroundings) -> Iterator[Range]:
    executor = LocalExecutor(workers=2, require_sandbox="none")
    yield Range(around, executor, bounded=True)
    executor.shutdown()
