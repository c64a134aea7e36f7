"""The nodes that an executor uses. Nodes that join the cluster later are added, and lost nodes are removed."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from repair_bench.executors.cluster.connection import Lost, broken, connection_error, wait
from repair_bench.executors.cluster.node import Node
from repair_bench.executors.cluster.slots import Slots
from repair_bench.executors.confinement import Announcement
from repair_bench.executors.fork_server import START_SECONDS
from repair_bench.executors.local import LocalExecutor
from repair_bench.log import log
from repair_bench.traces.faults import ExecutorError, Fault, UsageError
from repair_bench.traces.run.changes import changes

FAILURES = 3
"""The number of consecutive infrastructure errors after which a node is removed."""
JOINS = 3
"""The maximum number of times that the executor tries to add the same node, if the node is lost every time."""
SCHEDULE_SECONDS = 120.0
"""Time limit, in seconds, for Ray to start a process on a free node."""
EMPTY_SECONDS = 300.0
"""The maximum time, in seconds, to wait while the cluster has no nodes. New nodes take minutes to start."""
WATCH_SECONDS = 1.0
STOP_SECONDS = 20.0
HEAD_SECONDS = 20.0
"""The head node counts as lost if it does not answer for this many seconds. After 60 s without an answer, Ray would
kill the repair-bench process."""
KNOCK_SECONDS = 2.0


@dataclass(eq=False)
class Member:
    """A node in use.

    `key`: Ray's ID. `sandbox`: the state of the sandbox layers, for each framework started on the node. `lost`: the
    reason why the node was removed.
    """

    key: str
    name: str
    cores: int
    workers: int
    actor: Any
    sandbox: dict[str, dict[str, str]] = field(default_factory=dict)
    failures: int = 0
    lost: str | None = None


class Members:
    """The nodes that the executor uses in the cluster to which this process is connected. Call `shutdown` when done."""

    def __init__(self, workers: int | None, make: Callable[[int], LocalExecutor], announce: Announcement) -> None:
        """Start an executor on each current node. Raises UsageError if there is no node or a node is unusable."""
        import ray

        self._workers, self._make, self._announce = workers, make, announce
        self.seats: Slots[Member] = Slots(EMPTY_SECONDS)
        self.events: list[str] = []
        """One sentence for each node that was lost or removed."""
        self.ever: list[Member] = []
        """All nodes used so far, including lost nodes."""
        self._versions: dict[str, tuple[str, dict[str, str]]] = {}  # the first node and its versions, by framework
        self._members: dict[str, Member] = {}
        self._starting: dict[str, Any] = {}  # actors of nodes that have not been added yet
        self._joins: Counter[str] = Counter()
        self._head = ray.get_runtime_context().gcs_address
        self.head_lost: str | None = None
        """The message for the user if the head node is lost, otherwise None."""
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._pool = ThreadPoolExecutor(8, thread_name_prefix="cluster")
        self._watcher = threading.Thread(target=self._watch, name="cluster-watcher", daemon=True)
        try:
            for joining in [self._pool.submit(self._join, node) for node in self._joinable()]:
                joining.result()
            if not self._members:
                events = "".join(f"; {event}" for event in self.events)
                raise UsageError(f"no node of the Ray cluster has a free core to run candidates{events}")  # noqa: TRY301
        except BaseException:
            self.shutdown()
            raise
        self._watcher.start()

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    def all(self) -> list[Member]:
        """Return the nodes in use. Raises ExecutorError if no node is left."""
        with self._lock:
            if self._members:
                return [*self._members.values()]
        raise ExecutorError(self._none_left())

    def _none_left(self) -> str:
        return "; ".join(["the Ray cluster has no nodes left", *self.events])

    def workers(self) -> int:
        with self._lock:
            return sum(member.workers for member in self._members.values())

    def versions(self) -> dict[str, dict[str, str]]:
        with self._lock:
            reports = sorted(self._versions.items())
        return {framework: versions for framework, (_, versions) in reports if framework}

    def warm(self, member: Member, framework: str) -> None:
        """Start a framework on a node.

        Raises Lost if the node does not answer, and ExecutorError if the framework cannot be started there. Raises
        UsageError if the node's versions differ from those of the first node.
        """
        if framework not in member.sandbox:
            try:
                versions, layers = wait(member.actor.warm.remote(framework), START_SECONDS)
            except UsageError as error:  # a sandbox layer is missing, or a resource limit is too low
                raise ExecutorError(str(error)) from error
            self._check(member, framework, versions)
            member.sandbox[framework] = layers
            self._announce(layers, member.name)

    def warm_all(self, framework: str) -> list[Member]:
        """Start a framework on all nodes in parallel. Return the nodes on which the framework starts, and stop using
        all other nodes.

        Raises UsageError if versions differ, and UsageError or ExecutorError if no node is left.
        """
        causes: list[BaseException | None] = []

        def warm(member: Member) -> Member | None:
            try:
                self.warm(member, framework)
            except (Lost, ExecutorError) as error:
                causes.append(error.__cause__)
                self._drop(member, error)
                return None
            return member

        warmed = [member for member in self._pool.map(warm, self.all()) if member is not None]
        if not warmed:
            kind = UsageError if any(isinstance(cause, UsageError) for cause in causes) else ExecutorError
            raise kind(self._none_left())
        return warmed

    def blame(self, member: Member, error: Exception) -> None:
        """Record a failure of a node. Remove the node if it is lost or has failed `FAILURES` times in a row."""
        member.failures += 1
        if isinstance(error, Lost) or member.failures >= FAILURES:
            self._drop(member, error)

    def _drop(self, member: Member, error: Exception) -> None:
        if self.seats.shut(member):
            with self._lock:
                self._members.pop(member.key, None)
            member.lost = str(error)
            if isinstance(error, Lost):
                self.events.append(f"node {member.name} was lost: {error}")
            else:
                self.events.append(f"node {member.name} was excluded: {error}")
                self._announce.note(self.events[-1])
            log.warning("node_lost", node=member.name, reason=type(error).__name__)
        if connection_error(self._head, KNOCK_SECONDS) is None:  # otherwise Ray would wait for the head node
            _kill(member.actor)

    def shutdown(self) -> None:
        """Stop every executor. Idempotent."""
        import ray

        if self._closed.is_set():
            return
        self._closed.set()
        if self.head_lost is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            return
        with self._lock:
            members, self._members = [*self._members.values()], {}
            starting = [*self._starting.values()]
        for actor in starting:
            _kill(actor)
        if stopping := [member.actor.close.remote() for member in members]:
            with contextlib.suppress(*broken()):
                ray.wait(stopping, num_returns=len(stopping), timeout=STOP_SECONDS)
        for member in members:
            _kill(member.actor)
        self._pool.shutdown(cancel_futures=True)
        if self._watcher.ident is not None:
            self._watcher.join(STOP_SECONDS)

    def _watch(self) -> None:
        import ray

        joining: set[str] = set()

        def join(node: Mapping[str, Any]) -> None:
            try:
                self._join(node)
            except UsageError as error:
                self._joins[node["NodeID"]] = JOINS
                self.events.append(f"{error}. The node was not used")
                log.warning("node_refused", node=node["NodeManagerHostname"])
            finally:
                joining.discard(node["NodeID"])

        heard = time.monotonic()
        while not self._closed.wait(WATCH_SECONDS):
            if problem := connection_error(self._head, KNOCK_SECONDS):
                silent = time.monotonic() - heard
                if silent > HEAD_SECONDS:
                    log.error("head_lost", seconds=round(silent))
                    self.head_lost = (
                        f"the head node of the Ray cluster ({self._head}) has not answered for {silent:.0f} s "
                        f"({problem}): restart Ray"
                    )
                    return
                continue  # a call to Ray would hang
            heard = time.monotonic()
            with contextlib.suppress(*broken(), RuntimeError):  # closed in the meantime
                there = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
                for member in [*self._members.values()]:
                    if member.key not in there:
                        self.blame(member, Lost("it left the cluster"))
                for node in self._joinable():
                    if node["NodeID"] not in joining:
                        joining.add(node["NodeID"])
                        self._pool.submit(join, node)

    def _joinable(self) -> list[Mapping[str, Any]]:
        import ray

        with self._lock:
            return [
                node
                for node in ray.nodes()
                if node["Alive"]
                and node["Resources"].get("CPU", 0) >= 1
                and node["NodeID"] not in self._members
                and self._joins[node["NodeID"]] < JOINS
            ]

    def _join(self, node: Mapping[str, Any]) -> None:
        """Start an executor on a node and add the node.

        Raises UsageError if the versions on this node differ from the versions on the first node.
        """
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        key, cores = node["NodeID"], int(node["Resources"]["CPU"])
        self._joins[key] += 1
        there = NodeAffinitySchedulingStrategy(key, soft=False)
        actor = ray.remote(Node).options(num_cpus=cores, max_restarts=0, scheduling_strategy=there).remote()
        workers = min(cores, self._workers or cores)
        member = Member(key, f"{node['NodeManagerHostname']} ({key[:8]})", cores, workers, actor)
        with self._lock:
            self._starting[key] = actor
        try:
            if self.closed:
                return
            self._open(member)
            for framework in self.versions():
                self.warm(member, framework)
            with self._lock:
                if self._closed.is_set():
                    return
                self._members[key] = member
            self.ever.append(member)
            log.info("node_joined", node=member.name, cores=cores)
            self.seats.open(member, member.workers)
        except (Lost, Fault) as error:
            if self._joins[key] == 1 and not self.closed:  # Ray lists a lost node for some seconds
                self.events.append(f"node {member.name} could not be used: {error}")
        finally:
            with self._lock:
                del self._starting[key]
            if self._members.get(key) is not member:
                _kill(actor)

    def _open(self, member: Member) -> None:
        try:
            versions = wait(member.actor.open.remote(self._make, member.workers), SCHEDULE_SECONDS)
        except UsageError as error:
            raise UsageError(f"node {member.name}: {error}") from None
        self._check(member, "", versions)

    def _check(self, member: Member, framework: str, versions: dict[str, str]) -> None:
        """Raise UsageError unless the versions match those of the first node.

        `framework`: empty for shared packages.
        """
        with self._lock:
            first, expected = self._versions.setdefault(framework, (member.name, versions))
        if different := "; ".join(changes(expected, versions)):
            raise UsageError(
                f"nodes {member.name} and {first} have different versions: {different}. Verdicts would depend on the "
                "node: install the same versions on all nodes"
            )


def _kill(actor: Any) -> None:
    import ray

    with contextlib.suppress(*broken(), RuntimeError, ValueError):  # the actor or the connection has ended
        ray.kill(actor)
