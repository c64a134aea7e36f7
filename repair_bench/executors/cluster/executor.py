"""The driver's half: programs are handed out to the nodes, and those of a lost node are run again on another."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from repair_bench.executors.cluster.answers import Lost, broken, read, sort_out, wait
from repair_bench.executors.cluster.connection import connect
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
"""How often a program is run again before it is given up, as a fault on our side."""


class RayExecutor:
    """An executor on every node of a cluster that has a core, those that join later included. Close it when done.

    A verdict does not depend on the node: versions are the same on all, or the node is refused, and seeds come with the
    program. A program whose node is lost, or fails on our side, is run again, elsewhere where that is possible, up to
    `RETRIES` times; then it is an ExecutorError.
    """

    def __init__(self, address: str | None, workers: int | None, pythons: Mapping[str, str],
                 make: Callable[[int], LocalExecutor], announce: Announcement) -> None:  # fmt: skip
        """`address`: see `connection.connect`. `workers`: at most so many programs at once on a node, by default one
        for each of its cores. `make`: called on each node for its executor, with the number of its workers. `pythons`:
        the frameworks that have an interpreter of their own there. `announce`: told of the sandbox of each node.

        Raises UsageError when there is no Ray, no cluster, no node, or a node that cannot be used as it is.
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
        """How many programs are executed at once on all nodes that are in use now; 1 while there is none."""
        return max(1, self._members.workers())

    async def run(self, program: Program) -> Outcome:
        """See `Executor`. Raises UsageError when the head node is lost: nothing can be executed then."""
        for lost in itertools.count():
            self._check_head()
            member = await self._seat(lost)
            try:
                if program.framework not in member.sandbox:
                    await asyncio.to_thread(self._members.warm, member, program.framework)
                outcome = await self._execute(member, program)
            except (Lost, ExecutorError) as error:
                if self._members.closed:
                    raise ExecutorError("the executor was closed while the program ran") from None
                self._members.blame(member, error)
                log.warning("execution_failed", node=member.name, reason=type(error).__name__, failures=lost + 1)
                if lost == RETRIES:
                    raise ExecutorError(f"given up after {RETRIES + 1} executions: {error}", retries=lost) from error
            else:
                member.failures = 0
                return outcome
            finally:
                self._members.seats.give_back(member)
            self._repeats += 1
        raise AssertionError

    def layers(self, framework: str) -> dict[str, str]:
        """The sandbox layers that all nodes have: `on`, or what the first node that is without says, and its name."""
        layers: dict[str, str] = {}
        for member in self._members.warm_all(framework):
            for layer, state in member.sandbox[framework].items():
                if layers.get(layer, "on") == "on":
                    layers[layer] = state if state in ("on", "off") else f"{state} ({member.name})"
        return layers

    def versions(self, framework: str) -> dict[str, str]:
        """The versions of a framework's interpreter and packages; every node starts its server."""
        self._members.warm_all(framework)
        return self._members.versions()[framework]

    def import_path(self, framework: str) -> tuple[str, ...] | None:
        """Where a framework's interpreter imports from on the first node; None when it is the one of Ray's nodes."""
        if framework not in self._pythons:
            return None
        path: tuple[str, ...] | None = wait(
            self._members.all()[0].actor.import_path.remote(framework), START_SECONDS
        )  # fmt: skip
        return path

    @property
    def nodes(self) -> Sequence[Mapping[str, Any]]:
        """Every node that was used: name, cores, the sandbox layers of each framework, and why it was lost, if so."""
        return [
            {"node": m.name, "cores": m.cores, "sandbox": dict(m.sandbox), "lost": m.lost} for m in self._members.ever
        ]

    def closing_lines(self) -> list[str]:
        """What a person must know of how the cluster served, one sentence each."""
        again = f"executions run again, as their node was lost or failed: {self._repeats:,}"
        return [*self._members.events, *([again] if self._repeats else [])]

    async def close(self) -> None:
        await asyncio.to_thread(self.shutdown)

    def shutdown(self) -> None:
        """Stop every executor and what it started; end the connection if it is ours. A second time does nothing."""
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

    async def _seat(self, lost: int) -> Member:
        try:
            return await self._members.seats.take()
        except NoNode:
            raise ExecutorError(f"the Ray cluster has had no node for {EMPTY_SECONDS:.0f} s", retries=lost) from None

    async def _execute(self, member: Member, program: Program) -> Outcome:
        import ray

        # The node stops a program by itself, and may run it twice, the second time when all others there are through.
        patience = 4 * (program.limits.wall_seconds + STUCK_SECONDS) + START_SECONDS
        answer = member.actor.run.remote(program)
        no_answer: tuple[type[BaseException], ...] = (TimeoutError, asyncio.CancelledError, *broken())
        try:
            waiting = asyncio.wrap_future(answer.future())
            async with asyncio.timeout(patience):
                while not (await asyncio.wait([waiting], timeout=1.0))[0]:
                    self._check_head()
                outcome: Outcome = read(waiting.result())
                return outcome
        except no_answer as error:
            if self._members.head_lost is None:
                with contextlib.suppress(*broken()):
                    ray.cancel(answer)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise sort_out(error) from error
