"""The rows of a run: its attempts, read line by line, without their texts."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from repair_bench.traces.faults import TraceError
from repair_bench.traces.journal import Line, parse, read_lines
from repair_bench.traces.reading import ATTEMPTS, check_schema, read_manifest, replaces
from repair_bench.traces.records import SCHEMA, FaultRecord, Sealed, Verdict, VerdictKind, code_digest
from repair_bench.traces.row import Row, RowCompletion, RowFeedback, RowOutcome


@dataclass(frozen=True)
class Run:
    """A run as it is read: its manifest, its attempts, and what has to be said of its files, one sentence each."""

    manifest: dict[str, Any]
    rows: list[Row]
    notes: list[str]


def load_rows(directory: Path) -> Run:
    """Read a run, also while it is still being written. The rows of an episode stand together, in the file's order.

    Of several lines with one episode and id the last one counts, but a verdict beats a fault. Raises UsageError when
    the directory holds no run or one that a newer version wrote, TraceError when its record is damaged.
    """
    manifest = read_manifest(directory)
    reader = _Reader(directory / ATTEMPTS)
    for line in read_lines(reader.path, reader.parse):
        reader.add(line)
    return Run(manifest, [row for path in reader.episodes.values() for row in path], reader.notes())


class _Reader:
    """Rows of one file, line by line; values that repeat are held once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.episodes: dict[str, list[Row]] = {}
        self._repeated = 0
        self._older: Counter[int] = Counter()
        self._number = 0
        self._end = 0
        self._kept: dict[Any, Any] = {}
        self._decode = msgspec.json.Decoder(_Line).decode

    def add(self, line: Line[_Line]) -> None:
        if check_schema(line.data.schema, self.path, line.number):
            self._older[line.data.schema] += 1
        self._end = sum(line.span)
        path = self.episodes.setdefault(line.data.episode, [])
        row = self._row(line.data, line.span.offset, path)
        place = next((i for i, old in enumerate(path) if old.id == row.id), None)
        if place is None:
            path.append(row)
            return
        self._repeated += path[place].fault is None
        if replaces(row, path[place]):
            path[place] = row

    def notes(self) -> list[str]:
        said = []
        if self.path.exists() and (torn := self.path.stat().st_size - self._end) > 0:
            said.append(
                f"{self.path}: the last line is not whole (torn by a kill, or just being written): "
                f"its {torn:,} bytes were left out"
            )
        if self._repeated:
            said.append(f"{self.path}: {self._repeated:,} lines record an attempt again: the last of each counts")
        said += [
            f"{self.path}: {n:,} lines are of the older format {schema}: fields that it does not have are unknown"
            for schema, n in sorted(self._older.items())
        ]
        return said

    def parse(self, raw: bytes) -> _Line | None:
        """What is read of a line; None when it is broken. Raises TraceError when it is whole and no attempt."""
        self._number += 1
        try:
            return self._decode(raw)
        except (msgspec.DecodeError, UnicodeError):  # not an attempt, or what only Python's json reads (NaN)
            data = parse(raw)
        if data is None:
            return None
        check_schema(data.get("schema", SCHEMA), self.path, self._number)
        try:
            return msgspec.convert(data, _Line)
        except msgspec.ValidationError as error:
            raise TraceError(f"{self.path}, line {self._number}: not an attempt: {error}") from error

    def _row(self, line: _Line, offset: int, before: list[Row]) -> Row:
        intern = sys.intern
        last = before[-1] if before else None
        return Row(
            line.id,
            last.id if last is not None and last.id == line.parent else line.parent,
            last.episode if last is not None else line.episode,
            intern(line.model),
            intern(line.suite),
            intern(line.suite_version),
            intern(line.task_id),
            intern(line.framework),
            intern(line.category),
            None if line.difficulty is None else intern(line.difficulty),
            intern(line.condition),
            line.sample,
            line.attempt,
            self._once(line.feedback),
            _completion(line.completion),
            code_digest(line.code),
            line.outcome,
            self._verdict(line.verdict),
            line.fault,
            line.off_policy,
            None if line.writer is None else intern(line.writer),
            self.path,
            offset,
        )

    def _once(self, value: RowFeedback | None) -> RowFeedback | None:
        """The same object for equal values."""
        return self._kept.setdefault(value, value)

    def _verdict(self, read: _Verdict | None) -> Verdict | None:
        """The verdict with what taxonomies look at; attempts that failed alike share one object."""
        if read is None:
            return None
        evidence = read.evidence
        names: dict[str, Any] = {name: value for name in _NAMES if (value := getattr(evidence, name)) is not None}
        if read.kind == "exception" and evidence.message is not None:
            names["message"] = evidence.message
        if evidence.assertion is not None:
            names["assertion"] = str(evidence.assertion).partition(": ")[0]  # an exception's class, without its message
        mismatches = None if evidence.cases is None else tuple(dict.fromkeys(case.mismatch for case in evidence.cases))
        key = (read.kind, read.rule, read.sealed, mismatches, *names.items())
        found: Verdict | None = self._kept.get(key)
        if found is None:
            if mismatches is not None:
                names["cases"] = [{"mismatch": mismatch} for mismatch in mismatches]
            found = self._kept[key] = Verdict(read.kind, names, read.rule, read.sealed)
        return found


def _completion(read: _Completion | None) -> RowCompletion | None:
    if read is None:
        return None
    usage = read.usage or _Usage()
    return RowCompletion(
        usage.prompt_tokens,
        usage.completion_tokens,
        read.cost_usd,
        read.latency_seconds,
        read.requests,
        read.cached,
        read.finish_reason,
    )


_NAMES = ("type", "missing", "limit")


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(msgspec.Struct):
    usage: _Usage | None = None
    cost_usd: float | None = None
    latency_seconds: float | None = None
    requests: int = 1
    cached: bool = False
    finish_reason: str | None = None


class _Case(msgspec.Struct):
    mismatch: str | None = None


class _Evidence(msgspec.Struct):
    type: str | None = None
    message: str | None = None
    assertion: str | None = None
    missing: str | None = None
    limit: str | None = None
    cases: list[_Case] | None = None


class _Verdict(msgspec.Struct):
    kind: VerdictKind
    evidence: _Evidence = msgspec.field(default_factory=_Evidence)
    rule: str = "exact"
    sealed: Sealed | None = "data"


class _Line(msgspec.Struct):
    """What is read of a line; the rest of it is passed over."""

    id: str
    parent: str | None
    episode: str
    model: str
    suite: str
    suite_version: str
    task_id: str
    framework: str
    category: str
    difficulty: str | None
    condition: str
    sample: int
    attempt: int
    feedback: RowFeedback | None
    completion: _Completion | None = None
    code: str | None = None
    outcome: RowOutcome | None = None
    verdict: _Verdict | None = None
    fault: FaultRecord | None = None
    off_policy: bool = False
    writer: str | None = None
    schema: int = SCHEMA
