"""The writer of a run directory: what was asked for, and everything that came of it.

Besides the files that `reading` names there are

| file | holds |
| --- | --- |
| `completions.jsonl` | `{"event": "request", "key", "at_most"}` before a request is sent, `{"event": "refused", "key"}` when it was turned down unbilled, `{"event": "completion", "key", "data"}` before an answer is parsed, `{"event": "run", "key", "data"}` when a program of the model's own was run, before it is told |
| `decisions.jsonl` | what was worth another attempt, see `decisions`; only where the run stops by value |
| `batches.jsonl` | the batches that were handed to providers, see `batches`; only where there are any |
| `run.lock` | locked while a process writes the run |
"""  # noqa: E501 - a table

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
from repair_bench.traces.record.records import Attempt, Completion, Outcome
from repair_bench.traces.record.spending import Bound, Spend, Spending
from repair_bench.traces.record.writable import writable
from repair_bench.traces.run.batches import BATCHES, Batch, BatchLedger
from repair_bench.traces.run.changes import changes
from repair_bench.traces.run.decisions import DECISIONS, Decisions
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_files import ATTEMPTS, MANIFEST, attempt_of, replaces
from repair_bench.traces.run.study_lock import STUDY_LOCK, StudyLock

COMPLETIONS = "completions.jsonl"
LOCK = "run.lock"
T = TypeVar("T")
_COMPLETION = frozenset(field.name for field in dataclasses.fields(Completion))
_FIRST = (STUDY_LOCK, MANIFEST)
"""What is written before a run has begun: one that a kill stopped there can be begun again."""


class _ToolRun(TypedDict):
    """What a program of a model's own came to, as it is saved."""

    outcome: Outcome
    shown: str


class RunStore:
    """The one writer of a run directory. Made by `create` or `resume`; `close` it in the end."""

    def __init__(self, directory: Path, manifest: Manifest, lock: int) -> None:
        self.directory = directory
        self.manifest = manifest
        self._lock: int | None = lock
        self._places: dict[str, array[int]] = {}  # by episode: offset and length of each of its lines
        # packed spans: only places, since the texts of a long run do not fit in memory
        self._firsts: dict[str, int] = {}  # by id of an attempt 0: a line in which it has a verdict
        self._saved: dict[str, int] = {}  # by key of a request: the line of its answer
        self._ran: dict[str, int] = {}  # by key of a run of a model's own program: the line of what it came to
        self._unanswered: set[str] = set()
        self._repeats = 0
        self.spending = Spending()
        """What the requests cost. Live, whoever asks keeps it up to date."""
        self._ledger: BatchLedger | None = None
        self._decisions: Decisions | None = None
        self._attempts = Journal(directory / ATTEMPTS, self._visit_attempt)
        self._completions = Journal(directory / COMPLETIONS, self._visit_completion)
        self.notes = [
            f"{journal.path}: the last line was torn (a kill, a full disk); its {journal.cut_bytes} bytes were cut off"
            for journal in (self._attempts, self._completions)
            if journal.cut_bytes
        ]
        """What was mended on opening, one sentence each, to be shown to the user."""

    @staticmethod
    def check_free(directory: Path) -> None:
        """Raise UsageError when a run cannot begin in `directory`, because it holds something; writes nothing."""
        try:
            names = {entry.name for entry in directory.iterdir() if not any(is_unfinished(entry, n) for n in _FIRST)}
        except FileNotFoundError:
            return
        except OSError as error:
            raise UsageError(f"{directory} cannot be used for a run: {error.strerror}") from error
        check_contained(directory)
        if MANIFEST in names:
            raise UsageError(
                f"{directory} already holds a run: go on with it by --resume {directory}, or give another --out"
            )
        if names := names - {LOCK, STUDY_LOCK}:
            raise UsageError(f"{directory} holds other files ({min(names)}): give --out a new or empty directory")

    @classmethod
    def create(cls, directory: Path, manifest: Manifest, study: StudyLock | None = None) -> RunStore:
        """Begin a run in a new or empty directory, with what it asks where that is known.

        Raises UsageError when it holds anything, and touches nothing.
        """
        cls.check_free(directory)
        try:
            directory.mkdir(parents=True, exist_ok=True)
            lock = _acquire(directory)
        except OSError as error:
            raise UsageError(f"{directory} cannot be used for a run: {error.strerror}") from error
        try:
            cls.check_free(directory)  # once more: another process may have begun between the look and the lock
            if study is not None:
                study.write(directory)  # before the manifest: a run that can be resumed has it
            manifest.write(directory)
            return cls(directory, manifest, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def resume(cls, directory: Path, manifest: Manifest) -> RunStore:
        """Go on with a run; its stored manifest stays, but for what `manifest` says of sessions (`resumed`).

        Raises UsageError when there is no run, when another process writes it, or as `check_same` does.
        """
        stored = Manifest.read(directory)
        check_same(directory, stored, manifest)
        try:
            lock = _acquire(directory)
        except OSError as error:
            raise UsageError(f"{directory} cannot be written: {error.strerror}") from error
        try:
            if list(manifest.resumed) != list(stored.resumed):
                stored = stored.replaced(resumed=manifest.resumed)
                stored.write(directory)
            return cls(directory, stored, lock)
        except BaseException:
            os.close(lock)
            raise

    def episode(self, episode_id: str) -> list[Attempt]:
        """The recorded attempts of one episode in the order of their numbers, up to the first that is missing, read
        from disk.

        Of several lines with one id the last one counts, but a verdict beats a fault. What follows a missing attempt
        (a damaged line that was deleted) is made again after it.
        """
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
        """The attempt 0 with this id, read from disk from whichever episode holds it; None until it has a verdict."""
        place = self._firsts.get(root_id)
        return None if place is None else Attempt.from_json(self._attempts.at(Span.unpacked(place)))

    async def append_attempt(self, attempt: Attempt) -> Attempt:
        """Record an attempt, as `writable` has it; it is durable on return. What was recorded."""
        attempt = writable(attempt)
        span = await self._attempts.append(attempt.to_json())
        self._place(attempt, span)
        return attempt

    def completion(self, key: str) -> dict[str, Any] | None:
        """What was saved under `key`, or None. A key that has an answer is never to be asked for again."""
        place = self._saved.get(key)
        if place is None:
            return None
        data: dict[str, Any] = self._completions.at(Span.unpacked(place))["data"]
        return {name: data[name] for name in _COMPLETION if name in data}

    async def note_request(self, key: str, at_most: Spend | None = None) -> bool:
        """Record that a request is about to be sent, and what it may cost; durable on return.

        True when it repeats one that brought no answer (a fault, or in flight at a kill). Raises TraceError when there
        is an answer already.
        """
        if key in self._saved:
            raise TraceError(f"completion {key} is on the disk and must not be asked for again")
        repeat = self._count_request(key)
        worst = {} if at_most is None else {"at_most": dataclasses.asdict(at_most)}
        await self._completions.append({"event": "request", "key": key, **worst})
        return repeat

    async def note_refused(self, key: str) -> None:
        """Record that the last request for `key` was turned down and will not be billed; durable on return."""
        await self._completions.append({"event": "refused", "key": key})

    @property
    def repeats(self) -> int:
        """Requests noted beyond the first of each key, over all sessions."""
        return self._repeats

    async def save_completion(self, key: str, data: dict[str, Any]) -> None:
        """Record an answer; durable on return. The first one under a key is the one that counts."""
        span = await self._completions.append({"event": "completion", "key": key, "data": data})
        self._save(key, span)

    def tool_run(self, key: str) -> dict[str, Any] | None:
        """What a program of a model's own came to, saved under `key`; None where it was not run."""
        place = self._ran.get(key)
        return None if place is None else dict(self._completions.at(Span.unpacked(place))["data"])

    async def save_tool_run(self, key: str, data: dict[str, Any]) -> None:
        """Record what a program of a model's own came to; durable on return."""
        span = await self._completions.append({"event": "run", "key": key, "data": data})
        self._ran[key] = span.packed()

    @property
    def batches(self) -> BatchLedger:
        """The ledger of the run's batches, which is begun when it is first asked for. Raises TraceError."""
        if self._ledger is None:
            self._ledger = BatchLedger(self.directory / BATCHES)
        return self._ledger

    @property
    def decisions(self) -> Decisions:
        """What the run decided under way, begun when it is first asked for. Raises TraceError."""
        if self._decisions is None:
            self._decisions = Decisions(self.directory / DECISIONS)
        return self._decisions

    def owed_batches(self, model: str) -> list[tuple[Batch, list[str]]]:
        """The batches of a model from which answers may still come, and the keys of the requests that have none."""
        if self._ledger is None and not (self.directory / BATCHES).exists():
            return []
        owed = [(b, [key for key in b.params if key not in self._saved]) for b in self.batches.under_way(model)]
        return [(batch, keys) for batch, keys in owed if keys]

    async def close(self) -> None:
        """Wait for what is being written, then let the directory go. A second close does nothing."""
        for beside in (self._ledger, self._decisions):
            if beside is not None:
                await beside.close()
        await self._attempts.close()
        await self._completions.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _visit_attempt(self, line: Line[dict[str, Any]]) -> None:
        self._place(attempt_of(line, self.directory / ATTEMPTS), line.span)

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
            raise damaged(self.directory / COMPLETIONS, line.number, "neither a request nor what came of one")

    def _converted(self, data: Any, kind: type[T], line: Line[dict[str, Any]]) -> T:
        try:
            return msgspec.convert(data, kind)
        except msgspec.ValidationError as error:
            raise damaged(self.directory / COMPLETIONS, line.number, str(error)) from None

    def _count_request(self, key: str) -> bool:
        repeat = key in self._unanswered or key in self._saved
        self._repeats += repeat
        self._unanswered.add(key)
        return repeat

    def _save(self, key: str, span: Span) -> None:
        self._saved.setdefault(key, span.packed())
        self._unanswered.discard(key)


def check_same(directory: Path, stored: Manifest, manifest: Manifest) -> None:
    """Raise UsageError when two manifests are not of one experiment: each field that changed is named, old -> new."""
    now = json.loads(json.dumps(manifest.stated.get("experiment")))  # tuples are lists on disk
    changed = list(changes(stored.stated.get("experiment"), now))
    if not changed:
        return
    regraded = "; `repair-bench regrade` judges its answers by the tasks as they are now"
    raise UsageError(
        f"{directory} was begun as another experiment and cannot be resumed as this one: {'; '.join(changed)}. Give "
        f"the old settings, or another --out{regraded if any(c.startswith('suite_contents') for c in changed) else ''}"
    )


def _acquire(directory: Path) -> int:
    lock = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise UsageError(
            f"{directory} is being written by another process: wait for it, or give another --out"
        ) from error
    return lock
