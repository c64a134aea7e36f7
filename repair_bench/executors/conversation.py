"""Exchange messages with one child process: send a program, read a limited amount of output, and learn how it ended."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import io
import json
import os
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from repair_bench.executors.fork_server import ForkServer, ServerDied
from repair_bench.executors.guest.text import frame
from repair_bench.executors.program import Call, Limits, Program, UnitTest
from repair_bench.syntax_tree import parsed
from repair_bench.traces.faults import ExecutorError, SuiteError

FLOOD_BYTES = 16 << 20
CHUNK = 1 << 16
GRACE_SECONDS = 0.5
"""Time limit, in seconds, for reading pipes that stay open after the child and its descendants have died."""
STUCK_SECONDS = 60.0
"""If a server does not answer within this number of seconds after a program's wall-clock limit, the server counts as
dead."""


class Cancelled(Exception):  # noqa: N818
    """Raised after a conversation was cancelled and its child process has ended."""


class Cancel:
    """Cancels a running conversation from another thread."""

    def __init__(self) -> None:
        self.fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self.wanted = False
        self._lock = threading.Lock()

    def set(self) -> None:
        with self._lock:
            self.wanted = True
            if self.fd >= 0:
                os.eventfd_write(self.fd, 1)

    def close(self) -> None:
        with self._lock:
            os.close(self.fd)
            self.fd = -1


@dataclass
class Transcript:
    """The output of a child process, and a report on how the process ended (`fate`). Only `fate`, which the server
    wrote, is trusted.
    """

    fate: dict[str, Any]
    result: bytes
    stdout: bytes
    stderr: bytes
    flooded: bool
    """Whether the child was killed because it wrote too much."""


class _Stream:
    """A reader for one pipe. The reader stores the first `keep` bytes, and detects whether the output exceeds `maximum`
    bytes.
    """

    def __init__(self, pipe: io.FileIO, keep: int, maximum: int) -> None:
        self.pipe = pipe
        self.kept = bytearray()
        self.flooded = False
        self._keep = keep
        self._left = maximum

    def read(self) -> bool:
        """Read from the pipe once. Return False at the end of the pipe."""
        data = self.pipe.read(CHUNK) or b""
        self._left -= len(data)
        self.flooded = self._left < 0
        self.kept += data[: max(0, self._keep - len(self.kept))]
        return bool(data)


def converse(server: ForkServer, program: Program, cancel: Cancel) -> Transcript:
    """Run a program in one child. Raises the same exceptions as `hold`."""
    call = program.call
    request: dict[str, Any] = {"source": program.source, "seed": program.seed}
    if isinstance(call, Call):
        request |= {"kind": "call", **dataclasses.asdict(call)}
    elif isinstance(call, UnitTest):
        request |= {"kind": "test", **call_fields(call)}
    else:
        request |= {"kind": "script", "setup": "", "cases": []}
    return hold(server, request, program.limits, cancel)


def call_fields(call: UnitTest) -> dict[str, Any]:
    """Return the request fields that tell the child process which unit test to run."""
    names = ("entry_point", "test", "function", "passes_candidate", "preamble")
    return {**{name: getattr(call, name) for name in names}, "needs": imports_of(call.test)}


@functools.cache
def imports_of(test: str) -> tuple[str, ...]:
    """Return the import statements of a test that are not inside a `try`. Raises SuiteError for invalid Python."""

    def imports(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield ast.unparse(child)
            elif not isinstance(child, ast.Try | ast.TryStar):
                yield from imports(child)

    try:
        return tuple(dict.fromkeys(imports(parsed(test))))
    except (SyntaxError, ValueError, RecursionError) as error:
        raise SuiteError(f"the test is not valid Python: {error}") from error


@functools.cache
def classes_of(source: str) -> tuple[str, ...]:
    """Return the names of the classes that a task's source code defines."""
    return tuple(node.name for node in parsed(source).body if isinstance(node, ast.ClassDef))


def hold(
    server: ForkServer, request: dict[str, Any], limits: Limits, cancel: Cancel, peer: socket.socket | None = None
) -> Transcript:
    """Exchange messages with one child process. `peer`: a socket that is passed to the child and then closed here.

    Raises ServerDied and Cancelled. Raises SuiteError if the task's code fails before the candidate is loaded, for
    example because a package is missing. Raises ExecutorError for any other error before the candidate is loaded.
    """
    value_bytes = limits.value_mb << 20
    data = frame({**request, "value_bytes": value_bytes})
    with contextlib.ExitStack() as stack:
        ends = [_pipe(stack) for _ in range(4)]
        (request_far, request_near), (result, result_far), (stdout, stdout_far), (stderr, stderr_far) = ends
        status, status_far = map(stack.enter_context, socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        theirs: list[io.FileIO | socket.socket] = [request_far, result_far, stdout_far, stderr_far, status_far]
        if peer is not None:
            theirs.append(stack.enter_context(peer))
        server.submit(dataclasses.asdict(limits), [end.fileno() for end in theirs])
        for end in theirs:
            end.close()
        streams = [
            _Stream(result, value_bytes, value_bytes),
            _Stream(stdout, limits.output_kb << 10, FLOOD_BYTES),
            _Stream(stderr, limits.output_kb << 10, FLOOD_BYTES),
        ]
        fate = _exchange(request_near, data, streams, status, cancel, limits.wall_seconds)
    if cancel.wanted:
        raise Cancelled
    if "fault" in fate and fate["boundary"] == SuiteError.boundary:
        raise SuiteError(f"the task's code does not run with this version of {server.framework}: {fate['fault']}")
    if "fault" in fate:
        raise ExecutorError(f"the candidate was not loaded: {fate['fault']}")
    kept_result, kept_stdout, kept_stderr = (bytes(stream.kept) for stream in streams)
    return Transcript(fate, kept_result, kept_stdout, kept_stderr, any(stream.flooded for stream in streams))


def _pipe(stack: contextlib.ExitStack) -> tuple[io.FileIO, io.FileIO]:
    read, write = os.pipe()
    return stack.enter_context(io.FileIO(read, "rb")), stack.enter_context(io.FileIO(write, "wb"))


def _exchange(
    request: io.FileIO,
    data: bytes,
    streams: list[_Stream],
    status: socket.socket,
    cancel: Cancel,
    wall_seconds: float,
) -> dict[str, Any]:
    rest = memoryview(data)
    open_streams = len(streams)
    fate: dict[str, Any] = {}
    end = time.monotonic() + wall_seconds + STUCK_SECONDS
    with selectors.DefaultSelector() as selector:
        os.set_blocking(request.fileno(), False)
        selector.register(request, selectors.EVENT_WRITE)
        selector.register(status, selectors.EVENT_READ)
        selector.register(cancel.fd, selectors.EVENT_READ)
        for stream in streams:
            selector.register(stream.pipe, selectors.EVENT_READ, stream)
        while "exit" not in fate or open_streams:
            left = end - time.monotonic()
            if left <= 0 and "exit" in fate:
                break
            if left <= 0:
                raise ServerDied(f"no answer arrived within {STUCK_SECONDS:.0f} s after the wall-clock limit")
            for key, _ in selector.select(left):
                if isinstance(key.data, _Stream):
                    if not key.data.read():
                        selector.unregister(key.fileobj)
                        open_streams -= 1
                    elif key.data.flooded:
                        _ask_to_kill(status)
                elif key.fileobj is request:
                    rest = _write_some(request, rest)
                    if not rest:
                        selector.unregister(request)
                        request.close()
                elif key.fileobj is status:
                    fate |= _read_fate(status)
                    if "exit" in fate:
                        selector.unregister(status)
                        end = time.monotonic() + GRACE_SECONDS
                else:
                    selector.unregister(cancel.fd)
                    _ask_to_kill(status)
        return fate


def _write_some(request: io.FileIO, rest: memoryview) -> memoryview:
    """Write the next part of the request to the pipe. Return the part of the request that is still to be written, which
    is empty if the child has closed the pipe.
    """
    try:
        return rest[request.write(rest[:CHUNK]) or 0 :]
    except BrokenPipeError:
        return rest[:0]


def _read_fate(status: socket.socket) -> dict[str, Any]:
    """Return the next status message: the child's fate, or an error that occurred before the candidate ran."""
    try:
        data = status.recv(CHUNK)
    except OSError as error:
        raise ServerDied(str(error)) from error
    if not data:
        raise ServerDied("the fork server ended")
    return dict(json.loads(data))


def _ask_to_kill(status: socket.socket) -> None:
    with contextlib.suppress(OSError):
        status.shutdown(socket.SHUT_WR)
