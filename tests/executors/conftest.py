"""A fixture that runs plain Python programs in a real fork server."""

from collections.abc import Callable
from typing import Any

import pytest
from plain_programs import plain

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.traces.record.records import Outcome


@pytest.fixture(scope="session")
def execute(executor: LocalExecutor) -> Callable[..., Outcome]:
    """Run one plain program on the shared executor. The arguments are those of `plain`."""

    def run(source: str, *args: Any, **kwargs: Any) -> Outcome:
        return run_to_end(executor.run(plain(source, *args, **kwargs)))

    return run
