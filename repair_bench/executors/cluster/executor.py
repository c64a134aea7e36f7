"""An executor for a cluster, which sends programs to nodes and reruns the programs of a lost node on another node."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from repair_bench.executors.cluster.connection import Lost, broken, connect, sort_out, wait
from repair_bench.executors.cluster.members import EMPTY_SECONDS, Member, Members
from repair_bench.executors.cluster.slots import NoNode
from repair_bench.executors.confinement import Announcement
from repair_bench.executors.conversation import STUCK_SECONDS
from repair_bench.executors.fork_server import START_SECONDS
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.log import log
from repair_bench.traces.faults import ExecutorError, UsageError
from repair_bench.traces.record.records import Outcome

RETRIES = 3
"""The number of times that a program is rerun after node failures before an ExecutorError is raised."""


class RayExecutor:
    """Runs an executor on every cluster node that has a core, including nodes that join later. Close it when done.

    Verdicts do not depend on the node: nodes with different versions are refused, and every program contains its random
    seeds. After the loss of a node or an infrastructure error, a program is rerun up to `RETRIES` times, on another
    node if possible. If all reruns fail, an ExecutorError is raised.
    """

    def __init__(self, address: str | None, workers: int | None, pythons: Mapping[str, str],
                 make: Callable[[int], LocalExecutor], announce: Announcement) -> None:  # fmt: skip
        """Connect to the cluster, and start an executor on each node.

        `address`: see `connection.connect`. `workers`: the maximum number of concurrent programs per node (default: one
        per core). `make`: a function that creates a node's executor with a given number of workers. `pythons`: the
        interpreters of frameworks that do not use the default interpreter. `announce`: a function that reports the
        sandbox of each node.

        Raises UsageError if Ray is not installed, or if there is no cluster, no node or an unusable node.
        """
        self._pythons = pythons
        self._repeats = 0
        self._own_connection = connect(address)
        try:
            self._members = Members(workers, make, announce)
        except BaseException:
            self._disconnect()
            raise

    @property
    def capacity(self) -> int:
        """The total number of programs that the current nodes can run concurrently; 1 if there are no nodes."""
        return max(1, self._members.workers())

    async def run(self, program: Program) -> Outcome:
        """See `Executor`. Raises UsageError if the head node is lost."""
        for lost in itertools.count():
            self._check_head()
            try:
                member = await self._members.seats.take()
            except NoNode:
                problem = f"the Ray cluster had no node for {EMPTY_SECONDS:.0f} s"
                raise ExecutorError(problem, retries=lost) from None
            try:
                if program.framework not in member.sandbox:
                    await asyncio.to_thread(self._members.warm, member, program.framework)
                outcome = await self._execute(member, program)
            except (Lost, ExecutorError) as error:
                if self._members.closed:
                    raise ExecutorError("the executor was closed while the program was running") from None
                self._members.blame(member, error)
                log.warning("execution_failed", node=member.name, reason=type(error).__name__, failures=lost + 1)
                if lost == RETRIES:
                    raise ExecutorError(f"abandoned after {RETRIES + 1} executions: {error}", retries=lost) from error
            else:
                member.failures = 0
                return outcome
            finally:
                self._members.seats.give_back(member)
            self._repeats += 1
        raise AssertionError

    def layers(self, framework: str) -> dict[str, str]:
        """Return the state of each sandbox layer: `on`, `off`, or the reason why a node lacks the layer."""
        layers: dict[str, str] = {}
        for member in self._members.warm_all(framework):
            for layer, state in member.sandbox[framework].items():
                if layers.get(layer, "on") == "on":
                    layers[layer] = state if state in ("on", "off") else f"{state} ({member.name})"
        return layers

    def versions(self, framework: str) -> dict[str, str]:
        """Start a framework on every node, and return the versions of the framework's interpreter and packages."""
        self._members.warm_all(framework)
        return self._members.versions()[framework]

    def import_path(self, framework: str) -> tuple[str, ...] | None:
        """Return the import path of a framework's interpreter on the first node; None for the default interpreter."""
        if framework not in self._pythons:
            return None
        answer = self._members.all()[0].actor.import_path.remote(framework)
        path: tuple[str, ...] | None = wait(answer, START_SECONDS)
        return path

    @property
    def nodes(self) -> Sequence[Mapping[str, Any]]:
        """One entry for each node used so far: its name, its number of cores, and its sandbox layers by framework.

        `lost` is the reason why the node was lost, or None.
        """
        return [
            {"node": m.name, "cores": m.cores, "sandbox": dict(m.sandbox), "lost": m.lost} for m in self._members.ever
        ]

    def closing_lines(self) -> list[str]:
        """Return one sentence for each node that was lost or removed, and a sentence about repeated executions."""
        again = f"{self._repeats:,} executions were repeated because their node failed or was lost"
        return [*self._members.events, *([again] if self._repeats else [])]

    async def close(self) -> None:
        await asyncio.to_thread(self.shutdown)

    def shutdown(self) -> None:
        """Stop the executor of every node. Close the connection to the cluster if this object opened it. Idempotent."""
        if not self._members.closed:
            self._members.shutdown()
            self._disconnect()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    def _check_head(self) -> None:
        if self._members.head_lost is not None:
            raise UsageError(self._members.head_lost)

    def _disconnect(self) -> None:
        if self._own_connection:
            import ray

            ray.shutdown()

    async def _execute(self, member: Member, program: Program) -> Outcome:
        import ray

        # The node enforces the limits, and may repeat a program after all others have ended.
        patience = 4 * (program.limits.wall_seconds + STUCK_SECONDS) + START_SECONDS
        answer = member.actor.run.remote(program)
        no_answer: tuple[type[BaseException], ...] = (TimeoutError, asyncio.CancelledError, *broken())
        try:
            waiting = asyncio.wrap_future(answer.future())
            async with asyncio.timeout(patience):
                while not (await asyncio.wait([waiting], timeout=1.0))[0]:
                    self._check_head()
                outcome: Outcome = waiting.result()
                return outcome
        except no_answer as error:
            if self._members.head_lost is None:
                with contextlib.suppress(*broken()):
                    ray.cancel(answer)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise sort_out(error) from error
