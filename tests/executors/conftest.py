"""Running candidates of plain Python in real children of a real fork server."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from plain_programs import plain

from repair_bench.executors.local import LocalExecutor
from repair_bench.traces.record.records import Outcome


@pytest.fixture(scope="session")
def execute(executor: LocalExecutor) -> Callable[..., Outcome]:
    """Runs one plain program on the shared executor, with its arguments as those of `plain`."""

    def run(source: str, *args: Any, **kwargs: Any) -> Outcome:
        return asyncio.run(executor.run(plain(source, *args, **kwargs)))

    return run
