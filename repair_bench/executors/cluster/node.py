"""A Ray actor with the `LocalExecutor` of a node."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable

from repair_bench._version import __version__
from repair_bench.executors.cluster import connection
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.traces.record.records import Outcome


class Node:
    def __init__(self) -> None:
        connection.scrub()  # the node's environment may contain keys

    async def open(self, make: Callable[[int], LocalExecutor], workers: int) -> dict[str, str]:
        """Create the node's executor. Return the package versions that must be the same on all nodes."""
        self._executor = await asyncio.to_thread(make, workers)
        return {"python": platform.python_version(), "repair-bench": __version__}

    async def warm(self, framework: str) -> tuple[dict[str, str], dict[str, str]]:
        """Start a framework's server, and return the server's versions and sandbox layers."""
        layers = await asyncio.to_thread(self._executor.layers, framework)
        return self._executor.versions(framework), layers

    async def import_path(self, framework: str) -> tuple[str, ...] | None:
        return await asyncio.to_thread(self._executor.import_path, framework)

    async def run(self, program: Program) -> Outcome:
        return await self._executor.run(program)

    async def close(self) -> None:
        await self._executor.close()
