"""The writer of a run directory. The directory contains the files in `run_files` and the following:

| file | content |
| --- | --- |
| `completions.jsonl` | requests and replies, see below |
| `decisions.jsonl` | only with adaptive stopping, see `decisions` |
| `batches.jsonl` | only with batches, see `batches` |
| `run.lock` | locked while a process writes the run |

`completions.jsonl` has one event per line:

- `{"event": "request", "key", "at_most"}` is written before a request is sent.
- `{"event": "refused", "key"}` is written if a request was refused and not billed.
- `{"event": "completion", "key", "data"}` is written before an answer is parsed.
- `{"event": "run", "key", "data"}` is written after a program has been run for the model.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
from array import array
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import msgspec

from repair_bench.traces.faults import TraceError, UsageError
from repair_bench.traces.files.atomic_file import is_unfinished
from repair_bench.traces.files.journal import Journal, Line, Span
from repair_bench.traces.files.record_files import check_contained, damaged
from repair_bench.traces.record.records import SCHEMA, Attempt, Completion, Outcome
from repair_bench.traces.record.spending import Bound, Spend, Spending
from repair_bench.traces.record.writable import writable
from repair_bench.traces.run.batches import BATCHES, Batch, BatchLedger
from repair_bench.traces.run.changes import changes
from repair_bench.traces.run.decisions import DECISIONS, Decisions
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_files import ATTEMPTS, MANIFEST, check_schema, replaces
from repair_bench.traces.run.study_lock import STUDY_LOCK, StudyLock

COMPLETIONS = "completions.jsonl"
LOCK = "run.lock"
T = TypeVar("T")
_COMPLETION = frozenset(field.name for field in dataclasses.fields(Completion))
_FIRST = (STUDY_LOCK, MANIFEST)
"""The files that `create` writes before a run starts. If the process is killed before `create` has written the
manifest, `create` can be called again for the same directory."""


class _ToolRun(TypedDict):
    outcome: Outcome | None
    shown: str


class RunStore:
    """The only writer of a run directory, returned by `create` or `resume`. `close` it at the end."""

    def __init__(self, directory: Path, manifest: Manifest, lock: int) -> None:
        self.directory = directory
        self.manifest = manifest
        self._lock: int | None = lock
        self._places: dict[str, array[int]] = {}  # by episode: offset and length of each of its lines
        # packed spans, because the texts of a long run do not fit in memory
        self._firsts: dict[str, int] = {}  # by id of an attempt 0: a line in which it has a verdict
        self._saved: dict[str, int] = {}  # by key of a request: the line of its answer
        self._ran: dict[str, int] = {}  # by key of a tool run: the line of its result
        self._unanswered: set[str] = set()
        self.repeats = 0
        """The number of requests that repeated an unanswered request."""
        self.spending = Spending()
        """The cost of the run so far, updated by the code that sends requests."""
        self._ledger: BatchLedger | None = None
        self._decisions: Decisions | None = None
        self._attempts = Journal(directory / ATTEMPTS, self._visit_attempt)
        self._completions = Journal(directory / COMPLETIONS, self._visit_completion)
        self.notes = [
            f"{journal.path}: removed an incomplete last line of {journal.cut_bytes} bytes (after a crash or full disk)"
            for journal in (self._attempts, self._completions)
            if journal.cut_bytes
        ]
        """Messages that tell the user which files were repaired when the run was opened."""

    @staticmethod
    def check_free(directory: Path) -> None:
        """Raise UsageError if `directory` cannot be used for a new run. Writes nothing."""
        try:
            names = {entry.name for entry in directory.iterdir() if not any(is_unfinished(entry, n) for n in _FIRST)}
        except FileNotFoundError:
            return
        except OSError as error:
            raise UsageError(f"{directory} cannot be used for a run: {error.strerror}") from error
        check_contained(directory)
        if MANIFEST in names:
            raise UsageError(
                f"{directory} already contains a run: use --resume {directory} to continue it, or choose another --out"
            )
        if names := names - {LOCK, STUDY_LOCK}:
            raise UsageError(f"{directory} contains other files ({min(names)}): choose a new or empty --out")

    @classmethod
    def create(cls, directory: Path, manifest: Manifest, study: StudyLock | None = None) -> RunStore:
        """Start a run in a new or empty directory. Raises UsageError if the directory is not empty."""
        cls.check_free(directory)
        lock = _acquire(directory)
        try:
            cls.check_free(directory)  # again, because another process may have started before the lock
            if study is not None:
                study.write(directory)  # before the manifest, so that every resumable run has it
            manifest.write(directory)
            return cls(directory, manifest, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def resume(cls, directory: Path, manifest: Manifest) -> RunStore:
        """Resume a run; only `resumed` may change in its manifest. Raises UsageError, for example for a locked run."""
        stored = Manifest.read(directory)
        check_same(directory, stored, manifest)
        lock = _acquire(directory)
        try:
            if list(manifest.resumed) != list(stored.resumed):
                stored = stored.replaced(resumed=manifest.resumed)
                stored.write(directory)
            return cls(directory, stored, lock)
        except BaseException:
            os.close(lock)
            raise

    def episode(self, episode_id: str) -> list[Attempt]:
        """Read the attempts of an episode from disk, up to the first missing one. Later lines replace earlier ones."""
        counting: dict[str, Attempt] = {}
        places = self._places.get(episode_id, array("Q"))
        for offset, length in zip(places[::2], places[1::2], strict=True):
            attempt = Attempt.from_json(self._attempts.at(Span(offset, length)))
            earlier = counting.get(attempt.id)
            if earlier is None or replaces(attempt, earlier):
                counting[attempt.id] = attempt
        path = sorted(counting.values(), key=lambda a: a.attempt)
        return [attempt for number, attempt in enumerate(path) if attempt.attempt == number]

    def first(self, root_id: str) -> Attempt | None:
        """Return the first attempt (number 0) with the id `root_id`, or None if this attempt has no verdict yet.

        The attempt may belong to any episode.
        """
        place = self._firsts.get(root_id)
        return None if place is None else Attempt.from_json(self._attempts.at(Span.unpacked(place)))

    async def append_attempt(self, attempt: Attempt) -> Attempt:
        """Record an attempt on disk, and return it as recorded (see `writable`)."""
        attempt = writable(attempt)
        span = await self._attempts.append(attempt.to_json())
        self._place(attempt, span)
        return attempt

    def completion(self, key: str) -> dict[str, Any] | None:
        """Return the answer saved under `key`, or None. A request that has an answer must never be sent again."""
        place = self._saved.get(key)
        if place is None:
            return None
        data: dict[str, Any] = self._completions.at(Span.unpacked(place))["data"]
        return {name: data[name] for name in _COMPLETION if name in data}

    async def note_request(self, key: str, at_most: Spend | None = None) -> None:
        """Record a request on disk before it is sent. Raises TraceError if an answer is already stored."""
        if key in self._saved:
            raise TraceError(f"completion {key} is already stored and must not be requested again")
        self._count_request(key)
        worst = {} if at_most is None else {"at_most": dataclasses.asdict(at_most)}
        await self._completions.append({"event": "request", "key": key, **worst})

    async def note_refused(self, key: str) -> None:
        """Record on disk that the last request for `key` was refused and not billed."""
        await self._completions.append({"event": "refused", "key": key})

    async def save_completion(self, key: str, data: dict[str, Any]) -> None:
        """Record an answer on disk. If a key has several answers, the first one is used."""
        span = await self._completions.append({"event": "completion", "key": key, "data": data})
        self._save(key, span)

    def tool_run(self, key: str) -> dict[str, Any] | None:
        """Return the result of a tool run saved under `key`, or None."""
        place = self._ran.get(key)
        return None if place is None else dict(self._completions.at(Span.unpacked(place))["data"])

    async def save_tool_run(self, key: str, data: dict[str, Any]) -> None:
        span = await self._completions.append({"event": "run", "key": key, "data": data})
        self._ran[key] = span.packed()

    @property
    def batches(self) -> BatchLedger:
        """The ledger of the run's batches, created on first access. Raises TraceError."""
        if self._ledger is None:
            self._ledger = BatchLedger(self.directory / BATCHES)
        return self._ledger

    @property
    def decisions(self) -> Decisions:
        """The decisions of adaptive stopping, created on first access. Raises TraceError."""
        if self._decisions is None:
            self._decisions = Decisions(self.directory / DECISIONS)
        return self._decisions

    def pending_batches(self, model: str) -> list[tuple[Batch, list[str]]]:
        """Return a model's batches that may still deliver answers, with the keys of their unanswered requests."""
        if self._ledger is None and not (self.directory / BATCHES).exists():
            return []
        pending = [(b, [key for key in b.params if key not in self._saved]) for b in self.batches.under_way(model)]
        return [(batch, keys) for batch, keys in pending if keys]

    async def close(self) -> None:
        """Wait for pending writes, then unlock the directory. A second call has no effect."""
        for ledger in (self._ledger, self._decisions):
            if ledger is not None:
                await ledger.journal.close()
        await self._attempts.close()
        await self._completions.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _visit_attempt(self, line: Line[dict[str, Any]]) -> None:
        path = self.directory / ATTEMPTS
        check_schema(line.data.get("schema", SCHEMA), path, line.number)
        try:
            attempt = Attempt.from_json(line.data)
        except (KeyError, ValueError) as error:
            raise damaged(path, line.number, f"not an attempt: {error}") from error
        self._place(attempt, line.span)

    def _place(self, attempt: Attempt, span: Span) -> None:
        self._places.setdefault(attempt.episode, array("Q")).extend(span)
        if attempt.attempt == 0 and attempt.verdict is not None:
            self._firsts[attempt.id] = span.packed()

    def _visit_completion(self, line: Line[dict[str, Any]]) -> None:
        key, event = line.data.get("key"), line.data.get("event")
        if event == "request" and isinstance(key, str):
            self._count_request(key)
            if (at_most := line.data.get("at_most")) is not None:
                self.spending.requested(key, Bound.read(self._converted(at_most, dict[str, Any], line)))
        elif event == "refused" and isinstance(key, str):
            self.spending.refused(key)
        elif event == "completion" and isinstance(key, str) and isinstance(data := line.data.get("data"), dict):
            self._converted({**data, "usage": None, "cost_usd": None}, Completion, line)  # these are read leniently
            self._save(key, line.span)
            self.spending.answered(key, data)
        elif event == "run" and isinstance(key, str) and "data" in line.data:
            self._converted(line.data["data"], _ToolRun, line)
            self._ran[key] = line.span.packed()
        else:
            raise damaged(self.directory / COMPLETIONS, line.number, "the line contains neither a request nor a result")

    def _converted(self, data: Any, kind: type[T], line: Line[dict[str, Any]]) -> T:
        try:
            return msgspec.convert(data, kind)
        except msgspec.ValidationError as error:
            raise damaged(self.directory / COMPLETIONS, line.number, str(error)) from None

    def _count_request(self, key: str) -> None:
        self.repeats += key in self._unanswered or key in self._saved
        self._unanswered.add(key)

    def _save(self, key: str, span: Span) -> None:
        self._saved.setdefault(key, span.packed())
        self._unanswered.discard(key)


def check_same(directory: Path, stored: Manifest, manifest: Manifest) -> None:
    """Raise UsageError, listing each changed field, if two manifests describe different experiments."""
    now = json.loads(json.dumps(manifest.stated.get("experiment")))  # tuples are lists on disk
    changed = list(changes(stored.stated.get("experiment"), now))
    if not changed:
        return
    has_other_tasks = any(change.startswith("suite_contents") for change in changed)
    regrade = ". To grade its answers with the current tasks, use `repair-bench regrade`" if has_other_tasks else ""
    raise UsageError(
        f"{directory} cannot be resumed with different settings: {'; '.join(changed)}. Restore the old settings, or "
        f"choose another --out{regrade}"
    )


def _acquire(directory: Path) -> int:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UsageError(f"{directory} cannot be used for a run: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise UsageError(
            f"{directory} is in use by another process: wait until it ends, or choose another --out"
        ) from error
    return lock
