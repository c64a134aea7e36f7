"""Candidates on this machine: warm fork servers, one a framework (see `preloading`), started when first needed."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import resource
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, Self

from repair_bench.executors import interpreters
from repair_bench.executors.conversation import Cancel, Cancelled
from repair_bench.executors.fork_server import DiedAtStart, ForkServer, ServerDied
from repair_bench.executors.guest.fork_server.child import OPEN_FILES
from repair_bench.executors.guest.sandbox.lockdown import LAYERS
from repair_bench.executors.outcomes import starved, struck_down
from repair_bench.executors.program import Program, is_wide
from repair_bench.executors.sealed import Canaries, Ran, run
from repair_bench.log import log
from repair_bench.traces.faults import ExecutorError, UsageError
from repair_bench.traces.record.records import Outcome

Sandbox = Literal["strict", "best", "none"]

WORKERS = (os.cpu_count() or 1) + 1
"""Candidates in flight: one more than there are cores. While one waits for its fork or for the loop, no core waits."""
RESERVED = 128
"""Open files beside those of candidates: files, connections to models and fork servers."""
PER_CANDIDATE = 32
"""Pipes and sockets of one candidate, or of the two processes of a unit test, with some to spare."""


class LocalExecutor:
    """An `Executor`. It may be shared by several event loops, one after the other. Close it when done.

    A program is run once more, with nothing else in flight, when its fork server died, when it was stopped at its
    wall-clock bound for want of a core, and when it was killed from outside (by a machine short of memory, for one). If
    the same happens again, the first two are an `ExecutorError`; the third is its own doing.
    """

    def __init__(
        self,
        workers: int | None = None,
        pythons: Mapping[str, str] | None = None,
        *,
        require_sandbox: Sandbox = "best",
        layers: Collection[str] = LAYERS,
        private: Collection[Path] = (),
        announce: Callable[[Mapping[str, str]], object] | None = None,
    ) -> None:
        """`workers`: candidates in flight, None for `WORKERS`; fewer where the limit on open files does not allow as
        many. `pythons`: interpreters by framework, else this one. `require_sandbox`: what to do about a layer of the
        sandbox that this machine refuses: `strict` does not run without it, `best` runs with all that it grants as long
        as they hide what is private (else Unconfined is raised), `none` uses no layer at all and is for trusted code.
        `layers`: leave some out, to find which one a program falls foul of. `private`: files and folders to hide,
        beside repair-bench itself. `announce`: called with the layers of each server that is started.
        """
        self._pythons = dict(pythons or {})
        self._workers = affordable(workers or WORKERS)
        self._private = tuple(private)
        self._announce = announce
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="executor")
        self._strict = require_sandbox == "strict"
        self._layers = () if require_sandbox == "none" else tuple(layers)
        self._gate = _Gate()
        self._servers: dict[str, ForkServer] = {}
        self._started: set[str] = set()
        self._starting: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        self._canaries: Canaries = {}
        self._running: set[Cancel] = set()
        self._closed = False

    @property
    def capacity(self) -> int:
        """How many programs are executed at once."""
        return self._workers

    async def run(self, program: Program) -> Outcome:
        cancel = Cancel()
        with self._lock:
            if self._closed:
                cancel.close()
                raise ExecutorError("the executor is closed")
            self._running.add(cancel)
            future = self._pool.submit(contextvars.copy_context().run, self._run, program, cancel)
        future.add_done_callback(lambda _: self._forget(cancel))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            cancel.set()
            raise
        except Cancelled:
            raise ExecutorError("the executor was closed while the program ran") from None

    def layers(self, framework: str) -> dict[str, str]:
        """The sandbox layers of a framework's server, which is started for it: `on`, `off`, or why it cannot be had."""
        return self._server(framework).layers

    def import_path(self, framework: str) -> tuple[str, ...] | None:
        """Where a framework's interpreter imports from; None when it is this one."""
        python = self._pythons.get(framework)
        return None if python is None else interpreters.import_path(python)

    def versions(self, framework: str) -> dict[str, str]:
        """The versions of a framework's interpreter and packages; its server is started for it."""
        return self._server(framework).versions

    @property
    def nodes(self) -> tuple[()]:
        return ()

    def closing_lines(self) -> list[str]:
        """Nothing: what happened here is in the record."""
        return []

    async def close(self) -> None:
        await asyncio.to_thread(self.shutdown)

    def shutdown(self) -> None:
        """`close` for code without an event loop."""
        with self._lock:
            self._closed = True
            for cancel in self._running:
                cancel.set()
        self._pool.shutdown(wait=True)
        with self._lock:
            servers, self._servers = self._servers, {}
        for server in servers.values():
            server.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    def _run(self, program: Program, cancel: Cancel) -> Outcome:
        again: str
        try:
            with self._gate.shared():
                ran = self._converse(program, cancel)
            if not any(starved(child) or struck_down(child) for child in ran.transcripts):
                return ran.outcome
            again = "it was given no core, or was killed from outside"
        except ServerDied as error:
            again = f"the {program.framework} fork server died ({error})"
        with self._gate.alone():
            try:
                ran = self._converse(program, cancel)
            except ServerDied as error:
                raise ExecutorError(f"run again because {again}; then the fork server died ({error})") from error
        if any(map(starved, ran.transcripts)):
            raise ExecutorError(f"run again because {again}; then it was given no core: the machine is too busy")
        return ran.outcome

    def _converse(self, program: Program, cancel: Cancel) -> Ran:
        if cancel.wanted:
            raise Cancelled
        wide = is_wide(program)
        server = self._server(program.framework, wide=wide)
        try:
            return run(server, program, cancel, self._canaries)
        except ServerDied as error:
            with self._lock:
                if self._servers.get(_name(program.framework, wide)) is server:
                    del self._servers[_name(program.framework, wide)]
            log.warning("server_died", framework=program.framework, wide=wide, reason=str(error))
            words = server.last_words()
            server.close()
            raise ServerDied(f"{error}{': ' if words else ''}{words}") from error

    def _server(self, framework: str, *, wide: bool = False) -> ForkServer:
        """The framework's server, started if there is none. `wide`: the one that has imported more."""
        name = _name(framework, wide)
        with self._lock:
            starting = self._starting.setdefault(name, threading.Lock())
        with starting:
            with self._lock:
                server = self._servers.get(name)
            if server is None:
                server = self._start(framework, wide=wide)
                refused = {layer: server.layers[layer] for layer in self._layers if server.layers[layer] != "on"}
                if self._strict and refused:
                    server.close()
                    raise ExecutorError(f"a strict sandbox is asked for, and this machine refuses {refused}")
                with self._lock:
                    closed = self._closed
                    if not closed:
                        log.info("server_restarted" if name in self._started else "server_started", server=name)
                        self._started.add(name)
                        self._servers[name] = server
                if not closed and self._announce is not None:
                    self._announce(server.layers)
                if closed:  # meanwhile, by who did not wait for this thread
                    server.close()
                    raise ExecutorError("the executor was closed while a server of it was started")
            return server

    def _start(self, framework: str, *, wide: bool) -> ForkServer:
        python = self._pythons.get(framework, sys.executable)
        try:
            return ForkServer(framework, python, self._layers, wide=wide, private=self._private)
        except DiedAtStart:  # a machine short of memory kills any process: once is no proof
            log.warning("server_died", framework=framework, wide=wide, reason="at its start")
            return ForkServer(framework, python, self._layers, wide=wide, private=self._private)

    def _forget(self, cancel: Cancel) -> None:
        with self._lock:
            self._running.discard(cancel)
            cancel.close()


def _name(framework: str, wide: bool) -> str:
    return f"{framework}, wide" if wide else framework


def affordable(workers: int) -> int:
    """How many of so many candidates can run at once. Raises the soft limit as far as that needs.

    Raises UsageError where the hard limit is too low for one.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = max(soft, RESERVED + workers * PER_CANDIDATE)
    least = max(OPEN_FILES, RESERVED + PER_CANDIDATE)
    if 0 <= hard < least:
        raise UsageError(
            f"at most {hard} files may be open at once, and {least} are needed: raise it (ulimit -Hn {least})"
        )
    wanted = RESERVED + workers * PER_CANDIDATE
    if 0 <= soft < wanted:
        soft = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return workers if soft < 0 else max(1, min(workers, (soft - RESERVED) // PER_CANDIDATE))


class _Gate:
    """Many may pass together, or one alone. Who wants to be alone goes first."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._inside = 0
        self._alone = False
        self._want_alone = 0

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        with self._change:
            self._change.wait_for(lambda: not self._alone and not self._want_alone)
            self._inside += 1
        try:
            yield
        finally:
            with self._change:
                self._inside -= 1
                self._change.notify_all()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        with self._change:
            self._want_alone += 1
            self._change.wait_for(lambda: not self._alone and not self._inside)
            self._want_alone -= 1
            self._alone = True
        try:
            yield
        finally:
            with self._change:
                self._alone = False
                self._change.notify_all()
