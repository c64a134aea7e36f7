"""An append-only file of JSON lines in which a line is durable before `append` returns.

Group commit: while one fsync is under way, the lines of all appends that arrive share the next one. The pending lines
belong to the event loop and the file to one writer thread, so nothing is locked and nobody waits for company.

A process killed while it writes leaves at most a torn last line, whose `append` never returned; opening the file again
cuts it off. Lines are plain ASCII; numbers that are not finite are written as Python's json does (NaN, Infinity).
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
    """Where a line stands in its file, in bytes. A line has less than 4 GiB."""

    offset: int
    length: int

    def packed(self) -> int:
        """As one number: a third of the memory, and nothing that the garbage collector walks over again and again."""
        return self.offset << 32 | self.length

    @classmethod
    def unpacked(cls, number: int) -> Span:
        return cls(number >> 32, number & 0xFFFFFFFF)


class Line(NamedTuple, Generic[T]):
    """A whole line: its number (from 1), its place and what it holds."""

    number: int
    span: Span
    data: T


def parse(raw: bytes) -> dict[str, Any] | None:
    """The object of a line; None when it holds none."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def read_lines(path: Path, parse: Callable[[bytes], T | None], offset: int = 0, number: int = 0) -> Iterator[Line[T]]:
    """The lines of a journal, one at a time, with the number and the place of each.

    A torn last line is left out, a missing file is empty. `parse`: what a line holds, None when it is broken. `offset`,
    `number`: where to go on, and how many lines stand before. Raises DamagedRecordError for a broken line
    anywhere but last.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        yield from _scan(file, path, parse, offset, number)


class Journal:
    """The writer of one file, for one event loop. Two writers of one file are the caller's to prevent."""

    def __init__(self, path: Path, visit: Callable[[Line[dict[str, Any]]], None] | None = None) -> None:
        """Open or create `path`, cut off a torn last line, and hand every whole line to `visit`.

        Raises TraceError when the file cannot be opened, DamagedRecordError when a line other than the last is broken.
        """
        self.path = path
        self.cut_bytes = 0
        """Length of the torn last line that was cut off on opening; 0 when there was none."""
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
        """Write one line; return its place once it is on the disk.

        An append that is cancelled may still be written. Raises TraceError when `data` is not JSON, when the disk
        refuses, and on every append after that: a file that failed to sync is not trusted again until it is reopened.
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
                # on the loop's next turn, so that appends made in this one share the first fsync too
                loop.call_soon(self._commit_next)
        batch = self._next
        batch.lines.append(line)
        span = Span(self._end, len(line))
        self._end += len(line)
        # shielded: the others of the batch still wait for it when one of them is cancelled
        await asyncio.shield(batch.durable)
        return span

    def at(self, span: Span) -> dict[str, Any]:
        """The object of a line that was written or visited before."""
        data: dict[str, Any] = json.loads(os.pread(self._fd, span.length, span.offset))
        return data

    async def close(self) -> None:
        """Wait for the lines under way and close the file. A second close does nothing."""
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
    """The lines that share one fsync."""

    durable: asyncio.Future[None]
    lines: list[bytes] = field(default_factory=list)


def sync_directory(path: Path) -> None:
    """Make new and renamed names in a directory durable."""
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
            return  # torn, or just being written: what a reader sees after it is the rest of it
        data = parse(raw)
        if data is None:
            broken = number
            continue
        yield Line(number, Span(offset, len(raw)), data)
        offset += len(raw)
