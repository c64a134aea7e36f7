"""The part that runs on a node: a Ray actor around a `LocalExecutor`."""

from __future__ import annotations

import asyncio
import functools
import platform
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from repair_bench._version import __version__
from repair_bench.executors.cluster import connection
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.traces.faults import Fault, UsageError
from repair_bench.traces.record.records import Outcome

P = ParamSpec("P")
T = TypeVar("T")


def telling(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T | Fault | UsageError]]:
    """The method, returning a Fault or UsageError where it would raise it: Ray would wrap it in an error of its own."""

    @functools.wraps(method)
    async def answering(*args: P.args, **kwargs: P.kwargs) -> T | Fault | UsageError:
        try:
            return await method(*args, **kwargs)
        except (Fault, UsageError) as error:
            return error.with_traceback(None)

    return answering


class Node:
    """An executor on the node where it is started. Every method answers, raises nothing that we know of."""

    def __init__(self) -> None:
        connection.scrub()  # the node may have been started by someone who holds keys

    @telling
    async def open(self, make: Callable[[int], LocalExecutor], workers: int) -> dict[str, str]:
        """Make the executor; the versions that must be the same on every node, whatever the framework."""
        self._executor = await asyncio.to_thread(make, workers)
        return {"python": platform.python_version(), "repair-bench": __version__}

    @telling
    async def warm(self, framework: str) -> tuple[dict[str, str], dict[str, str]]:
        """Start a framework's server; its versions and its sandbox layers."""
        layers = await asyncio.to_thread(self._executor.layers, framework)
        return self._executor.versions(framework), layers

    @telling
    async def import_path(self, framework: str) -> tuple[str, ...] | None:
        return await asyncio.to_thread(self._executor.import_path, framework)

    @telling
    async def run(self, program: Program) -> Outcome:
        return await self._executor.run(program)

    @telling
    async def close(self) -> None:
        await self._executor.close()
