"""An append-only file of JSON lines; each line is durable before `append` returns.

Group commit: appends that arrive during one fsync share the next fsync. Only the event loop uses the pending lines, and
only one writer thread uses the file, so no lock is needed.

A killed process can leave an incomplete line only at the end of the file, and only if `append` has not returned for
this line. The incomplete line is removed when the file is opened again. Lines are ASCII; non-finite numbers are written
as in Python's `json` module (NaN, Infinity).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar

from repair_bench.traces.faults import TraceError
from repair_bench.traces.files.record_files import MAX_LINE_BYTES, damaged

T = TypeVar("T")


class Span(NamedTuple):
    """The position of a line in its file, in bytes. A line has less than 4 GiB."""

    offset: int
    length: int

    def packed(self) -> int:
        """Encode the span (offset and length) as a single integer.

        An integer takes a third of the memory of a `Span` object, and the garbage collector ignores integers.
        """
        return self.offset << 32 | self.length

    @classmethod
    def unpacked(cls, number: int) -> Span:
        return cls(number >> 32, number & 0xFFFFFFFF)


class Line(NamedTuple, Generic[T]):
    """A complete line: its number (from 1), position and parsed content."""

    number: int
    span: Span
    data: T


def parse(raw: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a line, or None if there is none."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def read_lines(path: Path, parse: Callable[[bytes], T | None], offset: int = 0, number: int = 0) -> Iterator[Line[T]]:
    """Yield the complete lines of a journal, or no lines for a missing file.

    `parse`: a function that returns the content of a line, or None for an invalid line. `offset`: the position at which
    to continue. `number`: the number of lines before this position. Raises DamagedRecordError for an invalid line
    before the last line.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        yield from _scan(file, path, parse, offset, number)


class Journal:
    """A writer that appends lines to one file.

    All calls must come from one event loop, and the caller must ensure that there is no second writer.
    """

    def __init__(self, path: Path, visit: Callable[[Line[dict[str, Any]]], None] | None = None) -> None:
        """Open or create `path`, and remove any partial last line. Raises TraceError and DamagedRecordError."""
        self.path = path
        self.cut_bytes = 0
        """Length of the partial last line that was removed; 0 if there was none."""
        self._next: _Batch | None = None
        self._current: _Batch | None = None
        self._failure: str | None = None
        try:
            self._end = self._recover(visit or (lambda _: None))
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            sync_directory(path.parent)
        except OSError as error:
            raise TraceError(f"{path} cannot be opened: {error.strerror}") from error
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journal")

    async def append(self, data: dict[str, Any]) -> Span:
        """Write one line, and return its position once the line is on disk. A cancelled append may still be written.

        Raises TraceError if `data` is not JSON, if writing fails, or if an earlier append failed. After a failed sync,
        a file is unreliable until it is reopened.
        """
        if self._failure is not None:
            raise TraceError(self._failure)
        try:
            line = json.dumps(data, separators=(",", ":")).encode() + b"\n"
        except (TypeError, ValueError, RecursionError) as error:
            raise TraceError(f"{self.path}: a record cannot be written as JSON: {error}") from error
        if len(line) > MAX_LINE_BYTES:
            raise TraceError(f"{self.path}: a record is longer than {MAX_LINE_BYTES >> 20} MiB")
        loop = asyncio.get_running_loop()
        if self._next is None:
            self._next = _Batch(loop.create_future())
            if self._current is None:
                # in the next iteration of the loop, so that appends of this one share the first fsync
                loop.call_soon(self._commit_next)
        batch = self._next
        batch.lines.append(line)
        span = Span(self._end, len(line))
        self._end += len(line)
        # shielded, because the rest of the batch still waits for it if one append is cancelled
        await asyncio.shield(batch.durable)
        return span

    def at(self, span: Span) -> dict[str, Any]:
        """Return the JSON object in the line at `span`.

        `span`: the position of a line that this journal appended, or that it read when it opened the file.
        """
        data: dict[str, Any] = json.loads(os.pread(self._fd, span.length, span.offset))
        return data

    async def close(self) -> None:
        """Wait for pending lines and close the file. A second call has no effect."""
        if self._failure == _CLOSED.format(self.path):
            return
        for batch in (self._current, self._next):
            if batch is not None:
                await asyncio.wait([batch.durable])
        self._failure = _CLOSED.format(self.path)
        self._writer.shutdown()
        os.close(self._fd)

    def _recover(self, visit: Callable[[Line[dict[str, Any]]], None]) -> int:
        if not self.path.exists():
            return 0
        end = 0
        with self.path.open("r+b") as file:
            for line in _scan(file, self.path, parse):
                visit(line)
                end = sum(line.span)
            self.cut_bytes = file.seek(0, os.SEEK_END) - end
            if self.cut_bytes:
                file.truncate(end)
                os.fsync(file.fileno())
        return end

    def _commit_next(self) -> None:
        batch, self._next = self._next, None
        if batch is None:
            return
        self._current = batch
        write = asyncio.get_running_loop().run_in_executor(self._writer, self._write, b"".join(batch.lines))
        write.add_done_callback(self._committed)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]
        os.fsync(self._fd)

    def _committed(self, write: asyncio.Future[None]) -> None:
        batch, self._current = self._current, None
        assert batch is not None
        error = write.exception()
        if error is None:
            batch.durable.set_result(None)
            self._commit_next()
            return
        self._failure = f"{self.path} cannot be written: {error}"
        for failed in (batch, self._next):
            if failed is not None:
                failed.durable.set_exception(TraceError(self._failure))
        self._next = None


_CLOSED = "{} is closed"


@dataclass
class _Batch:
    durable: asyncio.Future[None]
    lines: list[bytes] = field(default_factory=list)


def sync_directory(path: Path) -> None:
    """Make new and renamed entries of a directory durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _scan(
    file: BinaryIO, path: Path, parse: Callable[[bytes], T | None], offset: int = 0, before: int = 0
) -> Iterator[Line[T]]:
    broken = None
    file.seek(offset)
    for number, raw in enumerate(iter(partial(file.readline, MAX_LINE_BYTES + 1), b""), before + 1):
        if broken is not None:
            raise damaged(path, broken, "not a JSON object")
        if len(raw) > MAX_LINE_BYTES:
            raise damaged(path, number, f"longer than {MAX_LINE_BYTES >> 20} MiB")
        if not raw.endswith(b"\n"):
            return  # partial, or being written
        data = parse(raw)
        if data is None:
            broken = number
            continue
        yield Line(number, Span(offset, len(raw)), data)
        offset += len(raw)
