"""A run directory: what was asked for, and everything that came of it.

| file | holds |
| --- | --- |
| `run.json` | the manifest; its part `experiment` is everything that must not change between sessions |
| `attempts.jsonl` | one `Attempt` a line |
| `completions.jsonl` | `{"event": "request", "key", "at_most"}` before a request is sent, `{"event": "refused", "key"}` when it was turned down unbilled, `{"event": "completion", "key", "data"}` before an answer is parsed |
| `run.lock` | locked while a process writes the run |
"""  # noqa: E501 - a table

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repair_bench.traces.changes import changes
from repair_bench.traces.faults import TraceError, UsageError
from repair_bench.traces.journal import Journal, Line, Span, parse, read_lines, sync_directory
from repair_bench.traces.records import SCHEMA, Attempt
from repair_bench.traces.spending import Spend, Spending

if TYPE_CHECKING:
    from repair_bench.traces.rows import Row

MANIFEST = "run.json"
ATTEMPTS = "attempts.jsonl"
COMPLETIONS = "completions.jsonl"
LOCK = "run.lock"
_UNFINISHED = f"{MANIFEST}.new"


def load_run(directory: Path) -> tuple[dict[str, Any], list[Attempt]]:
    """The manifest and the attempts of a run, read only; also while the run is still being written.

    Raises UsageError when the directory holds no run, TraceError when its record is damaged.
    """
    manifest = read_manifest(directory)
    loader = _Attempts(directory / ATTEMPTS)
    for line in read_lines(loader.path, parse):
        loader.visit(line)
    return manifest, loader.all()


def read_manifest(directory: Path) -> dict[str, Any]:
    """What `run.json` holds. Raises UsageError when it is missing or cannot be read."""
    path = directory / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"{directory} holds no run: there is no {MANIFEST} in it") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    if not isinstance(manifest, dict):
        raise UsageError(f"{path} cannot be read: it is not a JSON object")
    return manifest


def check_schema(schema: int, path: Path, number: int) -> bool:
    """Whether a line is of an older format, which can be read. Raises UsageError for that of a newer version."""
    if schema > SCHEMA:
        raise UsageError(
            f"{path}, line {number}: written in format {schema} by a newer repair-bench; this one reads up to format "
            f"{SCHEMA}: update it to read this run"
        )
    return schema < SCHEMA


def replaces(new: Attempt | Row, old: Attempt | Row) -> bool:
    """Whether a later line of an attempt counts in the place of an earlier one: always, but a verdict beats a fault."""
    return old.verdict is None or new.verdict is not None


class RunStore:
    """The one writer of a run directory. Made by `create` or `resume`; `close` it in the end."""

    def __init__(self, directory: Path, manifest: dict[str, Any], lock: int) -> None:
        """For `create` and `resume`, which hold the lock."""
        self.directory = directory
        self.manifest = manifest
        self._lock: int | None = lock
        self._places: dict[str, array[int]] = {}  # by episode: offset and length of each of its lines
        self._firsts: dict[str, Span] = {}  # by id of an attempt 0: a line in which it has a verdict
        self._saved: dict[str, Span] = {}  # only places: the texts of a long run do not fit in memory
        self._unanswered: set[str] = set()
        self._repeats = 0
        self.spending = Spending()
        """What the requests cost. Live, it is the budget that keeps it up to date."""
        self._attempts = Journal(directory / ATTEMPTS, self._visit_attempt)
        self._completions = Journal(directory / COMPLETIONS, self._visit_completion)
        self.notes = [
            f"{journal.path}: the last line was torn by a kill; its {journal.cut_bytes} bytes were cut off"
            for journal in (self._attempts, self._completions)
            if journal.cut_bytes
        ]
        """What was mended on opening, one sentence each, to be shown to the user."""

    @staticmethod
    def check_free(directory: Path) -> None:
        """Raise UsageError when a run cannot begin in `directory`, because it holds something; writes nothing."""
        try:
            names = {entry.name for entry in directory.iterdir()} - {LOCK, _UNFINISHED}
        except FileNotFoundError:
            return
        except OSError as error:
            raise UsageError(f"{directory} cannot be used for a run: {error.strerror}") from error
        if MANIFEST in names:
            raise UsageError(
                f"{directory} already holds a run: go on with it by --resume {directory}, or give another --out"
            )
        if names:
            raise UsageError(f"{directory} holds other files ({min(names)}): give --out a new or empty directory")

    @classmethod
    def create(cls, directory: Path, manifest: dict[str, Any]) -> RunStore:
        """Begin a run in a new or empty directory. Raises UsageError when it holds anything, and touches nothing."""
        cls.check_free(directory)
        try:
            directory.mkdir(parents=True, exist_ok=True)
            lock = _acquire(directory)
        except OSError as error:
            raise UsageError(f"{directory} cannot be used for a run: {error.strerror}") from error
        try:
            cls.check_free(directory)  # once more: another process may have begun between the look and the lock
            _write_manifest(directory, manifest)
            return cls(directory, manifest, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def resume(cls, directory: Path, manifest: dict[str, Any]) -> RunStore:
        """Go on with a run; its stored manifest stays.

        Raises UsageError when there is no run, when another process writes it, or when `manifest["experiment"]` is not
        the stored one: each field that changed is named, old -> new.
        """
        stored = read_manifest(directory)
        now = json.loads(json.dumps(manifest))  # tuples are lists on disk
        changed = list(changes(stored.get("experiment"), now.get("experiment")))
        if changed:
            raise UsageError(
                f"{directory} was begun as another experiment and cannot be resumed as this one: "
                f"{'; '.join(changed)}. Give the old settings, or another --out"
            )
        try:
            lock = _acquire(directory)
        except OSError as error:
            raise UsageError(f"{directory} cannot be written: {error.strerror}") from error
        try:
            return cls(directory, stored, lock)
        except BaseException:
            os.close(lock)
            raise

    def episode(self, episode_id: str) -> list[Attempt]:
        """The recorded attempts of one episode in the order of their numbers, read from disk; empty without any.

        Of several lines with one id the last one counts, but a verdict beats a fault.
        """
        kept = _Attempts(self._attempts.path)
        places = self._places.get(episode_id, array("Q"))
        for offset, length in zip(places[::2], places[1::2], strict=True):
            kept.add(Attempt.from_json(self._attempts.at(Span(offset, length))))
        return sorted(kept.all(), key=lambda a: a.attempt)

    def first(self, root_id: str) -> Attempt | None:
        """The attempt 0 with this id, read from disk from whichever episode holds it; None until it has a verdict."""
        span = self._firsts.get(root_id)
        return None if span is None else Attempt.from_json(self._attempts.at(span))

    def attempts(self) -> list[Attempt]:
        """All attempts of the run, read from disk, in the order they were first recorded."""
        return load_run(self.directory)[1]

    def by_episode(self) -> dict[str, list[Attempt]]:
        """The attempts of every episode, read from disk, in the order of their numbers."""
        return {episode_id: self.episode(episode_id) for episode_id in self._places}

    async def append_attempt(self, attempt: Attempt) -> None:
        """Record an attempt; it is durable on return."""
        span = await self._attempts.append(attempt.to_json())
        self._place(attempt, span)

    def completion(self, key: str) -> dict[str, Any] | None:
        """What was saved under `key`, or None. A key that has an answer is never to be asked for again."""
        span = self._saved.get(key)
        if span is None:
            return None
        data: dict[str, Any] = self._completions.at(span)["data"]
        return data

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

    async def close(self) -> None:
        """Wait for what is being written, then let the directory go. A second close does nothing."""
        await self._attempts.close()
        await self._completions.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _visit_attempt(self, line: Line[dict[str, Any]]) -> None:
        self._place(_attempt(line, self.directory / ATTEMPTS), line.span)

    def _place(self, attempt: Attempt, span: Span) -> None:
        self._places.setdefault(attempt.episode, array("Q")).extend(span)
        if attempt.attempt == 0 and attempt.verdict is not None:
            self._firsts[attempt.id] = span

    def _visit_completion(self, line: Line[dict[str, Any]]) -> None:
        key, event = line.data.get("key"), line.data.get("event")
        if event == "request" and isinstance(key, str):
            self._count_request(key)
            if isinstance(at_most := line.data.get("at_most"), dict):
                self.spending.requested(key, Spend(at_most.get("cost_usd"), at_most.get("tokens")))
        elif event == "refused" and isinstance(key, str):
            self.spending.refused(key)
        elif event == "completion" and isinstance(key, str) and "data" in line.data:
            self._save(key, line.span)
            self.spending.answered(key, line.data["data"])
        else:
            raise TraceError(f"{self.directory / COMPLETIONS}, line {line.number}: neither a request nor a completion")

    def _count_request(self, key: str) -> bool:
        repeat = key in self._unanswered or key in self._saved
        self._repeats += repeat
        self._unanswered.add(key)
        return repeat

    def _save(self, key: str, span: Span) -> None:
        self._saved.setdefault(key, span)
        self._unanswered.discard(key)


class _Attempts:
    """Attempts as they are read, one per episode and id.

    The episode is part of the key because the arms of an experiment share the id of attempt 0.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: dict[tuple[str, str], Attempt] = {}
        self._texts: dict[str, str] = {}

    def all(self) -> list[Attempt]:
        return list(self._kept.values())

    def visit(self, line: Line[dict[str, Any]]) -> None:
        attempt = _attempt(line, self.path)
        for message in attempt.messages:
            # each attempt repeats the conversation before it: one copy of every text is enough
            message["content"] = self._texts.setdefault(message["content"], message["content"])
        self.add(attempt)

    def add(self, attempt: Attempt) -> None:
        key = (attempt.episode, attempt.id)
        old = self._kept.get(key)
        if old is None or replaces(attempt, old):
            self._kept[key] = attempt


def _attempt(line: Line[dict[str, Any]], path: Path) -> Attempt:
    check_schema(line.data.get("schema", SCHEMA), path, line.number)
    try:
        attempt = Attempt.from_json(line.data)
        for message in attempt.messages:
            message["content"]
    except (KeyError, TypeError, AttributeError) as error:
        raise TraceError(f"{path}, line {line.number}: not an attempt: {error}") from error
    return attempt


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


def _write_manifest(directory: Path, manifest: dict[str, Any]) -> None:
    new = directory / _UNFINISHED
    with new.open("w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=2, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    new.rename(directory / MANIFEST)
    sync_directory(directory)
