"""Rows: attempts without their texts, so that a million attempts fit in memory.

A row has the attributes of an `Attempt`, so that metrics, tables and plots accept both. `OnDisk` fields are read on
access.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Self, get_args

import msgspec

from repair_bench.traces.files.record_files import damaged
from repair_bench.traces.record.declaration import fields_of
from repair_bench.traces.record.records import TOKEN_DETAILS, Attempt, Completion, TokenKind, Verdict
from repair_bench.traces.record.spending import MAX_TOKENS

_Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_TOKENS)] | None
_Details = msgspec.defstruct("_Details", [(kind, _Count, None) for kind in TOKEN_DETAILS], frozen=True, gc=False)
_Counts = msgspec.defstruct(
    "_Counts",
    [
        *((kind, _Count, None) for kind in get_args(TokenKind) if kind not in TOKEN_DETAILS),
        *((part, _Details | None, None) for part in dict.fromkeys(TOKEN_DETAILS.values())),
    ],
    frozen=True,
    gc=False,
)
"""The part of `Completion.usage` that a row contains."""


class WrongCase(msgspec.Struct, frozen=True, gc=False):
    mismatch: str | None = None


class InstanceResult(msgspec.Struct, frozen=True, gc=False):
    """The result of a program on one instance of a task. `cost` is None if the program found no valid solution."""

    hidden: bool
    planted: int
    budget: int
    cost: int | None


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """The part of `Verdict.evidence` that is needed to classify errors and to analyze horizon suites."""

    type: str | None = None
    message: str | None = None
    assertion: str | None = None
    missing: str | None = None
    limit: str | None = None
    cases: list[WrongCase] | None = None
    instances: tuple[InstanceResult, ...] | None = None


class _Completion(msgspec.Struct, frozen=True, gc=False):
    @property
    def usage(self) -> dict[str, Any]:
        """The provider's token counts in the form of `Completion.usage`; counts that were not reported are None."""
        counts: dict[str, Any] = msgspec.to_builtins(self.counts or _Counts())  # type: ignore[attr-defined]
        return counts

    def tokens(self, kind: TokenKind) -> int | None:
        counts: Any = self.counts  # type: ignore[attr-defined]
        if counts is not None and kind in TOKEN_DETAILS:
            counts = getattr(counts, TOKEN_DETAILS[kind])
        return None if counts is None else getattr(counts, kind)


_SUMMARIES: dict[tuple[type, str], tuple[str, Any, Any]] = {
    (Completion, "usage"): ("counts", _Counts | None, msgspec.field(name="usage")),
    (Verdict, "evidence"): ("evidence", Evidence, msgspec.NODEFAULT),
    (Attempt, "code"): ("code", str | None, msgspec.NODEFAULT),
}
"""The fields of which a row contains only a summary (a part or a digest of the value). Each key names a summarized
field. Each value is the name, type and default value of the field that holds the summary."""


def _line_of(record: type) -> type[msgspec.Struct]:
    read: list[tuple[str, Any, Any]] = []
    for field in fields_of(record):
        if (record, field.name) in _SUMMARIES:
            read.append(_SUMMARIES[record, field.name])
        elif not field.on_disk:
            kind = _line_of(field.kind) | None if field.record else field.type
            read.append((field.name, kind, msgspec.NODEFAULT))
    bases = (_Completion,) if record is Completion else None
    return msgspec.defstruct(f"{record.__name__}Line", read, bases=bases, frozen=True, gc=False)


AttemptLine = _line_of(Attempt)
"""The decoded part of a line of `attempts.jsonl`, from which a row is built."""
KEPT = tuple(field for field in fields_of(Attempt) if not field.on_disk)
"""The fields of an attempt that are copied to a row."""


def in_row(path: str) -> bool:
    """Whether rows contain the value at a path in an attempt's JSON object, such as `verdict.evidence.type`."""
    names = path.split(".")
    kind: Any = AttemptLine
    for name in names:
        read = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
        if name not in read:
            return False
        kind = next((k for k in (read[name], *get_args(read[name])) if isinstance(k, msgspec.StructMeta)), None)
    return names[0] in {field.name for field in KEPT}


class _Row(msgspec.Struct, frozen=True, gc=False):
    """The fields of a row that an attempt does not have."""

    path: Path
    offset: int
    """The position of the attempt's JSON object in the file, in bytes."""
    code_digest: str | None
    """The same as `Attempt.code_digest`."""

    passed = Attempt.passed
    filled_context = Attempt.filled_context

    def with_texts(self) -> Attempt:
        """Read the attempt, including its texts, from disk. Raises DamagedRecordError."""
        with self.path.open("rb") as file:
            return self.read(file)

    def read(self, file: BinaryIO) -> Attempt:
        """Read the attempt, including its texts, from an open file. Raises DamagedRecordError."""
        file.seek(self.offset)
        line = file.readline()
        try:
            return _attempt(line)
        except (KeyError, ValueError, RecursionError) as error:
            raise damaged(self.path, line_number(self.path, self.offset), f"not an attempt: {error}") from error

    def replaced(self, **fields: Any) -> Self:
        return msgspec.structs.replace(self, **fields)


def line_number(path: Path, offset: int) -> int:
    """Return the number of the line that starts at a byte offset of a file."""
    number = 1
    with path.open("rb") as file:
        while piece := file.read(min(offset, 2**20)):
            number += piece.count(b"\n")
            offset -= len(piece)
    return number


def with_texts(rows: Iterable[Row]) -> Iterator[Attempt]:
    """Yield the attempts, including their texts. Consecutive rows from the same file are read without reopening the
    file.
    """
    for path, of_file in itertools.groupby(rows, attrgetter("path")):
        with path.open("rb") as file:
            for row in of_file:
                yield row.read(file)


def _attempt(line: bytes) -> Attempt:
    try:
        return _decode(line).restored()
    except (msgspec.DecodeError, UnicodeError):  # NaN, or an element of a list
        data, _ = _DECODER.raw_decode(line.decode(errors="surrogatepass"))
        return Attempt.from_json(data)


_decode = msgspec.json.Decoder(Attempt).decode
_DECODER = json.JSONDecoder()

if TYPE_CHECKING:

    class Row(Attempt):
        """An attempt without its texts (`with_texts` reads them); its nested records have no texts either."""

        path: Path
        offset: int
        __struct_fields__: tuple[str, ...]

        def read(self, file: BinaryIO) -> Attempt: ...

else:
    Row = msgspec.defstruct(
        "Row",
        [(field.name, field.type) for field in KEPT],
        bases=(_Row,),
        namespace={
            field.name: property(lambda row, name=field.name: getattr(row.with_texts(), name))
            for field in fields_of(Attempt)
            if field.on_disk
        },
        module=__name__,
        frozen=True,
        gc=False,
    )

Recorded = Attempt | Row
"""An attempt with or without its texts."""

TaskKey = tuple[str, str, str]
"""The suite, id and framework of a task."""


def task_key(attempt: Recorded) -> TaskKey:
    return attempt.suite, attempt.task_id, attempt.framework
