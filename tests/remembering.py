"""An executor that executes equal programs once, for tests with many of them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.traces.record.records import Outcome


@contextmanager
def equal_programs_run_once() -> Iterator[None]:
    """Give a program that was executed before in this context its earlier outcome."""
    execute = LocalExecutor.run
    known: dict[str, asyncio.Task[Outcome]] = {}

    async def run(executor: LocalExecutor, program: Program) -> Outcome:
        key = repr(program)
        if key not in known:
            known[key] = asyncio.ensure_future(execute(executor, program))
        return await asyncio.shield(known[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalExecutor, "run", run)
        yield
