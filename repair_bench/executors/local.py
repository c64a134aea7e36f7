"""Execute candidates on this machine, using fork servers that start on demand for each framework."""

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

from repair_bench.executors import instances, interpreters
from repair_bench.executors.conversation import Cancel, Cancelled
from repair_bench.executors.fork_server import DiedAtStart, ForkServer, ServerDied
from repair_bench.executors.guest.fork_server.child import OPEN_FILES
from repair_bench.executors.guest.sandbox.lockdown import LAYERS
from repair_bench.executors.outcomes import Ran, starved, struck_down
from repair_bench.executors.program import Instances, Program, needs_extra_imports
from repair_bench.executors.sealed import Canaries, run
from repair_bench.log import log
from repair_bench.traces.faults import ExecutorError, UsageError
from repair_bench.traces.record.records import Outcome

Sandbox = Literal["strict", "best", "none"]

WORKERS = (os.cpu_count() or 1) + 1
"""Default number of concurrent candidates: one more than the number of cores, to keep all cores busy."""
RESERVED = 128
"""The number of file descriptors reserved for other uses: files, connections to models, and fork servers."""
PER_CANDIDATE = 32
"""The maximum number of open files per candidate (or per pair of processes of a unit test), including a margin."""


class LocalExecutor:
    """An `Executor` for this machine. Several event loops may use the executor in turn. The caller must close the
    executor after its last use.

    A program is rerun, with no other program running, in three cases: its fork server died, an outside process killed
    the program, or the program reached its wall-clock limit while it was waiting for a core. If the rerun ends in the
    same way, an ExecutorError is raised. However, if an outside process kills the program in the first run and in the
    rerun, no error is raised, and the second kill is recorded as the program's outcome.
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
        """Prepare the executor. Servers start on demand.

        `workers`: number of concurrent candidates, reduced if the limit on open files is low; default: `WORKERS`.
        `pythons`: the interpreter of each framework; default: the interpreter of repair-bench. `require_sandbox`:
        `strict` requires every sandbox layer. `best` uses all sandbox layers that the machine supports, and raises
        Unconfined if private files stay readable. `none` uses no sandbox layer, and is meant for trusted code.
        `layers`: the layers to use. `private`: files and folders to hide, in addition to those of repair-bench.
        `announce`: called whenever a server has started, with a mapping from each sandbox layer to its state.
        """
        self._pythons = dict(pythons or {})
        self._workers = affordable(workers or WORKERS)
        self._private = tuple(private)
        self._announce = announce
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="executor")
        self._strict = require_sandbox == "strict"
        self._layers = () if require_sandbox == "none" else tuple(layers)
        self._gate = _Gate(self._workers)
        self._servers: dict[str, ForkServer] = {}
        self._started: set[str] = set()
        self._starting: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        self._canaries: Canaries = {}
        self._running: set[Cancel] = set()
        self._closed = False

    @property
    def capacity(self) -> int:
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
            raise ExecutorError("the executor was closed while the program was running") from None

    def layers(self, framework: str) -> dict[str, str]:
        """Start a framework's server. Return the state of each layer: `on`, `off`, or why the layer is unavailable."""
        return self._server(framework).layers

    def import_path(self, framework: str) -> tuple[str, ...] | None:
        """Return the import path of a framework's interpreter, or None for this interpreter."""
        python = self._pythons.get(framework)
        return None if python is None else interpreters.import_path(python)

    def versions(self, framework: str) -> dict[str, str]:
        """Start a framework's server. Return the versions of the server's interpreter and packages."""
        return self._server(framework).versions

    @property
    def nodes(self) -> tuple[()]:
        return ()

    def closing_lines(self) -> list[str]:
        return []

    async def close(self) -> None:
        await asyncio.to_thread(self.shutdown)

    def shutdown(self) -> None:
        """Close the executor from code that has no event loop."""
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
            again = "it received no CPU time, or was killed by another process"
        except ServerDied as error:
            again = f"the {program.framework} fork server died ({error})"
        with self._gate.exclusive():
            try:
                ran = self._converse(program, cancel)
            except ServerDied as error:
                raise ExecutorError(
                    f"the program was rerun because {again}, and then the server died ({error})"
                ) from error
        if any(map(starved, ran.transcripts)):
            raise ExecutorError(f"the program had to be rerun because {again}, but the machine was too busy")
        return ran.outcome

    def _converse(self, program: Program, cancel: Cancel) -> Ran:
        if cancel.wanted:
            raise Cancelled
        extra_imports = needs_extra_imports(program)
        server = self._server(program.framework, extra_imports=extra_imports)
        try:
            if isinstance(program.call, Instances):
                return instances.run(server, program, program.call, cancel)
            return run(server, program, cancel, self._canaries)
        except ServerDied as error:
            with self._lock:
                if self._servers.get(_name(program.framework, extra_imports)) is server:
                    del self._servers[_name(program.framework, extra_imports)]
            log.warning("server_died", framework=program.framework, wide=extra_imports, reason=str(error))
            words = server.last_words()
            server.close()
            raise ServerDied(f"{error}{': ' if words else ''}{words}") from error

    def _server(self, framework: str, *, extra_imports: bool = False) -> ForkServer:
        """Return a framework's server, which is started on demand. `extra_imports`: return the larger server."""
        name = _name(framework, extra_imports)
        with self._lock:
            starting = self._starting.setdefault(name, threading.Lock())
        with starting:
            with self._lock:
                server = self._servers.get(name)
            if server is None:
                server = self._start(framework, extra_imports=extra_imports)
                refused = {layer: server.layers[layer] for layer in self._layers if server.layers[layer] != "on"}
                if self._strict and refused:
                    server.close()
                    raise ExecutorError(f"--require-sandbox strict: this machine does not allow {refused}")
                with self._lock:
                    closed = self._closed
                    if not closed:
                        log.info("server_restarted" if name in self._started else "server_started", server=name)
                        self._started.add(name)
                        self._servers[name] = server
                if not closed and self._announce is not None:
                    self._announce(server.layers)
                if closed:  # by another thread
                    server.close()
                    raise ExecutorError("the executor was closed while its server was starting")
            return server

    def _start(self, framework: str, *, extra_imports: bool) -> ForkServer:
        python = self._pythons.get(framework, sys.executable)
        try:
            return ForkServer(framework, python, self._layers, extra_imports=extra_imports, private=self._private)
        except DiedAtStart:  # possibly killed on a machine short of memory
            log.warning("server_died", framework=framework, wide=extra_imports, reason="at its start")
            return ForkServer(framework, python, self._layers, extra_imports=extra_imports, private=self._private)

    def _forget(self, cancel: Cancel) -> None:
        with self._lock:
            self._running.discard(cancel)
            cancel.close()


def _name(framework: str, extra_imports: bool) -> str:
    return f"{framework}, wide" if extra_imports else framework


def affordable(workers: int) -> int:
    """Raise the soft limit on open files if necessary, and return the number of workers that the limit permits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = RESERVED + workers * PER_CANDIDATE
    if hard == resource.RLIM_INFINITY:
        hard = max(soft, wanted)
    minimum = max(OPEN_FILES, RESERVED + PER_CANDIDATE)
    if 0 <= hard < minimum:
        raise UsageError(
            f"only {hard} files may be open at once, but {minimum} are needed: raise the limit (ulimit -Hn {minimum})"
        )
    if 0 <= soft < wanted:
        soft = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return workers if soft < 0 else max(1, min(workers, (soft - RESERVED) // PER_CANDIDATE))


class _Gate:
    """A lock for up to `size` shared holders or one exclusive holder. Exclusive requests have priority."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entry = threading.Lock()
        self._places = threading.Semaphore(size)

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        with self._entry:  # wait for current and waiting exclusive holders
            self._places.acquire()
        try:
            yield
        finally:
            self._places.release()

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        with self._entry:
            for _ in range(self._size):
                self._places.acquire()
            try:
                yield
            finally:
                self._places.release(self._size)
