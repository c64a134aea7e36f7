"""The files of an unfinished grading run: `OUT.part` contains the graded lines, and `OUT.part.json` describes the
inputs.

Each line is on disk before the next line is written. An interrupted grading run resumes from both files.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import sibling
from repair_bench.traces.files.journal import Journal, Line, sync_directory
from repair_bench.traces.run.changes import changes


def part_of(out: Path) -> Path:
    return sibling(out, out.name + ".part")


class PartFile:
    """The exclusive writer of `out` until `finish` or `close` is called. `done`: the number of lines already graded."""

    def __init__(self, out: Path, about: Mapping[str, Any], visit: Callable[[dict[str, Any]], None]) -> None:
        """Start or resume a grading run.

        `about`: describes the inputs, such as the suite and the rules. `visit`: called with each line that has already
        been graded. Raises UsageError if `out` exists, cannot be written, or contains lines graded with different
        inputs.
        """

        def seen(line: Line[dict[str, Any]]) -> None:
            self.done += 1
            visit(line.data)

        self.done = 0
        self._out = out
        self._part = part_of(out)
        self._about = self._part.with_name(self._part.name + ".json")
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self._about, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise UsageError(f"{out} cannot be written: {error.strerror}") from None
        try:
            self._claim(about)
            self._journal = Journal(self._part, seen)
        except BaseException:
            os.close(self._lock)
            raise

    async def append(self, line: dict[str, Any]) -> None:
        """Write a line to disk durably. Raises TraceError if this fails."""
        await self._journal.append(line)

    async def finish(self) -> None:
        """Rename the file of graded lines, which is now complete, to `out`."""
        await self._journal.close()
        self._part.rename(self._out)
        self._about.unlink()
        sync_directory(self._out.parent.resolve())

    async def close(self) -> None:
        """Close the files without deleting them."""
        await self._journal.close()
        os.close(self._lock)

    def _claim(self, about: Mapping[str, Any]) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{self._out} is being written by another process: choose another --out") from None
        if self._out.exists():
            raise UsageError(f"{self._out} exists: remove it or choose another --out")
        if not self._part.exists():
            os.truncate(self._lock, 0)
            os.pwrite(self._lock, json.dumps(about).encode() + b"\n", 0)
            os.fsync(self._lock)
            return
        known = None
        with contextlib.suppress(OSError, ValueError):
            known = json.loads(self._about.read_bytes())
        if not isinstance(known, dict):
            raise UsageError(
                f"{self._part} does not record the inputs used for grading. Remove the file, or choose another --out"
            )
        if differs := list(changes(known, dict(about))):
            raise UsageError(
                f"{self._part} contains lines graded with other inputs ({'; '.join(differs)}). Use the "
                "same inputs, remove the file, or choose another --out"
            )
