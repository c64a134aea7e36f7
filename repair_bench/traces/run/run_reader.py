"""Read runs line by line. Each attempt becomes a row without texts; a row loads the texts on access."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from repair_bench.traces.files.journal import Line, parse, read_lines
from repair_bench.traces.files.record_files import damaged
from repair_bench.traces.record.declaration import fields_of
from repair_bench.traces.record.lazy_attempt import KEPT, AttemptLine, Evidence, Row
from repair_bench.traces.record.records import SCHEMA, Feedback, Verdict, code_digest
from repair_bench.traces.run.attempt_checks import check_in_episode, check_planned
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_files import ATTEMPTS, check_schema, replaces


@dataclass(frozen=True)
class Run:
    """A run: its manifest, its attempts grouped by episode, and notes about its files."""

    manifest: Manifest
    rows: list[Row]
    notes: list[str]


def load_rows(directory: Path) -> Run:
    """Read a run, which may still be in progress. The run is named after its directory, also if that was renamed.

    Raises DamagedRecordError if the record is damaged, and UsageError if the run cannot be read for another reason.
    """
    manifest = Manifest.read(directory).replaced(name=directory.resolve().name)
    reader = RowReader(directory / ATTEMPTS)
    reader.read()
    rows = reader.rows()
    check_planned(rows, manifest)
    return Run(manifest, rows, reader.notes())


def load_lists(path: Path) -> list[tuple[Row, ...]]:
    """Read a file that contains one list of attempts per line, and return one tuple of rows per line.

    Raises DamagedRecordError for an invalid line.
    """
    maker = _RowMaker(path)
    lists = []
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                lists.append(tuple(maker.rows(line.decode("ascii"), offset)))
            except (ValueError, RecursionError, msgspec.ValidationError) as error:
                raise damaged(path, number, f"the line is not a list of attempts: {error}") from error
            offset += len(line)
    return lists


class _RowMaker:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: dict[Any, Any] = {}

    def row(self, line: Any, offset: int, last: Row | None) -> Row:
        """Convert an `AttemptLine` to a row.

        `offset`: the position of the line in the file. `last`: the previous row of the same episode.
        """
        values = [self.path, offset, code_digest(line.code), *_values(line)]
        once = self._kept.setdefault
        for place in _REPEATED:
            value = values[place]
            values[place] = once(value, value)
        values[_VERDICT] = self._verdict(line.verdict)
        if last is not None:
            values[_EPISODE] = last.episode
            if last.id == line.parent:
                values[_PARENT] = last.id
        return Row(*values)

    def rows(self, line: str, offset: int) -> Iterator[Row]:
        decoder, end, separator, last = json.JSONDecoder(), 0, "[", None
        while last is None or line[end:] != "]\n":
            if not line.startswith(separator, end):
                raise ValueError(f"{separator!r} expected at character {end}")
            start = end + len(separator)
            data, end = decoder.raw_decode(line, start)
            last = self.row(msgspec.convert(data, AttemptLine), offset + start, last)
            yield last
            separator = ", "

    def _verdict(self, line: Any) -> Verdict | None:
        if line is None:
            return None
        evidence: Evidence = line.evidence
        plain = evidence.message is None and evidence.assertion is None and evidence.cases is None
        verdict: Verdict | None = self._kept.get(line) if plain else None
        if verdict is not None:  # mostly passes
            return verdict
        names: dict[str, Any] = {name: value for name in _NAMES if (value := getattr(evidence, name)) is not None}
        if line.kind == "exception" and evidence.message is not None:
            names["message"] = evidence.message
        if evidence.assertion is not None:
            names["assertion"] = str(evidence.assertion).partition(": ")[0]  # an exception's class, without its message
        mismatches = None if evidence.cases is None else tuple(dict.fromkeys(case.mismatch for case in evidence.cases))
        judged = _judged(line)
        key = (judged, mismatches, *names.items())
        verdict = self._kept.get(key)
        if verdict is None:
            if mismatches is not None:
                names["cases"] = [{"mismatch": mismatch} for mismatch in mismatches]
            if evidence.instances is not None:
                names["instances"] = [msgspec.structs.asdict(one) for one in evidence.instances]
            verdict = self._kept[key] = Verdict(**dict(zip(_JUDGED, judged, strict=True)), evidence=names)
        if plain:
            self._kept[line] = verdict
        return verdict


_values = attrgetter(*(field.name for field in KEPT))
_PLACES = {name: place for place, name in enumerate(Row.__struct_fields__)}
_VERDICT, _EPISODE, _PARENT = (_PLACES[name] for name in ("verdict", "episode", "parent"))
_REPEATED = [
    _PLACES[field.name]
    for field in KEPT
    if field.kind in (str, Feedback) and field.name not in ("id", "parent", "episode")
]
"""The indices of the row fields that often have the same value in many rows: names, and the feedback without its text.
Rows with equal values share one object in memory."""
_JUDGED = [field.name for field in fields_of(Verdict) if field.name != "evidence"]
_judged = attrgetter(*_JUDGED)
_NAMES = ("type", "missing", "limit", "instances")


class RowReader:
    """Reads the rows of a run incrementally."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.episodes: dict[str, list[Row]] = {}
        """The current rows of each episode."""
        self.end = 0
        """The number of bytes read so far."""
        self.behind = False
        """Whether the last call to `read` ran out of time."""
        self._number = 0
        self._maker = _RowMaker(path)
        self._repeated = 0
        self._decode = msgspec.json.Decoder(AttemptLine).decode

    def read(self, seconds: float = math.inf) -> set[str]:
        """Read new complete lines for at most `seconds`, and return the ids of their episodes."""
        until = time.monotonic() + seconds
        self.behind, changed = False, set()
        for line in read_lines(self.path, self._parse, self.end, self._number):
            changed.add(self._add(line))
            if time.monotonic() > until:
                self.behind = True
                break
        return changed

    def rows(self) -> list[Row]:
        """Return all rows, grouped by episode, in file order."""
        return [row for path in self.episodes.values() for row in path]

    def _add(self, line: Line[Any]) -> str:
        check_schema(line.data.schema, self.path, line.number)
        self.end, self._number = sum(line.span), line.number
        path = self.episodes.setdefault(line.data.episode, [])
        row = self._maker.row(line.data, line.span.offset, path[-1] if path else None)
        check_in_episode(row, path)
        place = next((i for i, old in enumerate(path) if old.id == row.id), None)
        if place is None:
            path.append(row)
        else:
            self._repeated += path[place].fault is None
            if replaces(row, path[place]):
                path[place] = row
        return row.episode

    def notes(self) -> list[str]:
        notes = []
        if self.path.exists() and (torn := self.path.stat().st_size - self.end) > 0:
            notes.append(
                f"{self.path}: ignored an incomplete last line of {torn:,} bytes (unfinished, or process killed)"
            )
        if self._repeated:
            notes.append(
                f"{self.path}: {self._repeated:,} lines repeat an attempt; only the last line for each attempt is used"
            )
        return notes

    def _parse(self, raw: bytes) -> Any:
        """Return the decoded line, or None if the line is not JSON.

        Raises DamagedRecordError for JSON that is not an attempt.
        """
        try:
            return self._decode(raw)
        except (msgspec.DecodeError, UnicodeError):  # not an attempt, or with NaN
            data = parse(raw)
        if data is None:
            return None
        check_schema(data.get("schema", SCHEMA), self.path, self._number + 1)
        try:
            return msgspec.convert(data, AttemptLine)
        except msgspec.ValidationError as error:
            raise damaged(self.path, self._number + 1, f"not an attempt: {error}") from error
