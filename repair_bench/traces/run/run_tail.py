"""Incremental reader for a run directory that another process is writing; reads each record once.

The reader does not lock or write any file. An incomplete last line is left for the next read.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec

from repair_bench.log import RUN_LOG
from repair_bench.traces.files.journal import read_lines
from repair_bench.traces.files.record_files import read_text
from repair_bench.traces.record.spending import Bound, Spend, Spending
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_files import ATTEMPTS, EXPERIMENT, MANIFEST
from repair_bench.traces.run.run_reader import RowReader, Run
from repair_bench.traces.run.store import COMPLETIONS, LOCK

LOCKS = Path("/proc/locks")


Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class Event(msgspec.Struct, frozen=True, gc=False):
    event: str
    timestamp: str = ""
    provider: str | None = None
    reason: str | None = None
    status: int | None = None
    seconds: Seconds = 0.0
    """Seconds spent waiting for a quota."""
    wait_seconds: Seconds = 0.0
    """Seconds to wait before a request is retried."""


class _Budget(msgspec.Struct, frozen=True):
    max_cost: float | None = None
    max_tokens: int | None = None


class _Answer(msgspec.Struct, frozen=True, gc=False):
    cost_usd: Any = None
    usage: Any = None


class _Request(msgspec.Struct, frozen=True, gc=False):
    event: str
    key: str
    at_most: Bound | None = None
    data: _Answer | None = None


class Following:
    """The part of a run's records that has been read so far. The run may still be in progress.

    A restarted run is read again from the start.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._reset()

    def _reset(self) -> None:
        self.manifest: Manifest | None = None
        self.attempts = RowReader(self.directory / ATTEMPTS)
        self.spending = Spending()
        self.events: list[Event] = []
        self._writer: int | None = None
        self._stated: tuple[int, int] | None = None
        self._file: int | None = None
        self._places = dict.fromkeys((COMPLETIONS, RUN_LOG), (0, 0))  # bytes and lines that are read

    def read(self, seconds: float) -> set[str]:
        """Read new records. Read the attempts file for at most `seconds`.

        Return the ids of changed episodes. Raises as `load_rows` does.
        """
        writer = self._lock_holder()  # read first: a run that ends meanwhile may have unread records
        attempts = _status(self.directory / ATTEMPTS)
        if attempts is not None:
            if self._file not in (None, attempts.st_ino) or attempts.st_size < self.attempts.end:
                self._reset()
            self._file = attempts.st_ino
        stated = _status(self.directory / MANIFEST)
        if stated is not None and (stated.st_ino, stated.st_mtime_ns) != self._stated:
            self.manifest = Manifest.read(self.directory)
            self._stated = (stated.st_ino, stated.st_mtime_ns)
        changed = self.attempts.read(seconds)
        if not self.behind:
            for request in self._lines(COMPLETIONS, _REQUESTS):
                _spend(self.spending, request)
            self.events += self._lines(RUN_LOG, _EVENTS)
        self._writer = writer
        return changed

    def rows(self) -> Run | None:
        """Return the part of the run read so far, in the form that `load_rows` returns; None before the run starts."""
        if self.manifest is None:
            return None
        return Run(self.manifest, self.attempts.rows(), self.attempts.notes())

    @property
    def budget(self) -> Spend:
        """The spending limits of the last session; a run can be resumed with higher limits."""
        try:
            stated = tomllib.loads(read_text(self.directory / EXPERIMENT)).get("budget")
        except (OSError, ValueError, RecursionError):
            stated = self.manifest.resources.get("budget") if self.manifest is not None else None
        try:
            budget = msgspec.convert(stated or {}, _Budget)
        except msgspec.ValidationError:
            return Spend(None, None)
        return Spend(budget.max_cost, budget.max_tokens)

    @property
    def behind(self) -> bool:
        """Whether some attempts are still unread. Requests and events are read only after all attempts."""
        return self.attempts.behind

    @property
    def share(self) -> float:
        """The share of the attempts file that has been read so far, from 0 to 1."""
        attempts = _status(self.attempts.path)
        return min(1.0, self.attempts.end / attempts.st_size) if attempts is not None and attempts.st_size else 1.0

    @property
    def written(self) -> float | None:
        """Time of the last write to any file of the run, in seconds since 1970; None before the run starts."""
        found = [_status(self.directory / name) for name in (MANIFEST, ATTEMPTS, COMPLETIONS, RUN_LOG)]
        return max((status.st_mtime for status in found if status is not None), default=None)

    @property
    def writer(self) -> int | None:
        """The id of the process that writes the run; None if no such process is visible."""
        return self._writer if self._writer is not None else self._lock_holder()

    def _lock_holder(self) -> int | None:
        lock = _status(self.directory / LOCK)
        if lock is None or not LOCKS.exists():
            return None
        place = f"{os.major(lock.st_dev):02x}:{os.minor(lock.st_dev):02x}:{lock.st_ino}"
        for line in LOCKS.read_text(encoding="ascii").splitlines():
            fields = line.split()  # "1: FLOCK ADVISORY WRITE 19560 fe:00:2369982 0 EOF"
            if fields[1] == "FLOCK" and fields[3] == "WRITE" and fields[5] == place:
                return int(fields[4])
        return None

    def _lines(self, name: str, decoder: msgspec.json.Decoder[Any]) -> list[Any]:
        found = []
        for line in read_lines(self.directory / name, lambda raw: raw, *self._places[name]):
            self._places[name] = sum(line.span), line.number
            try:
                found.append(decoder.decode(line.data))
            except (msgspec.MsgspecError, UnicodeError):
                continue
        return found


_REQUESTS = msgspec.json.Decoder(_Request)
_EVENTS = msgspec.json.Decoder(Event)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _spend(spending: Spending, request: _Request) -> None:
    if request.event == "request" and request.at_most is not None:
        spending.requested(request.key, request.at_most)
    elif request.event == "refused":
        spending.refused(request.key)
    elif request.event == "completion" and request.data is not None:
        spending.answered(request.key, {"cost_usd": request.data.cost_usd, "usage": request.data.usage})
