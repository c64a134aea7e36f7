"""Strict reading of dataset files: malformed content raises a UsageError with file and line."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from repair_bench.traces.faults import UsageError

Record = TypeVar("Record", bound=BaseModel)


class StrictModel(BaseModel):
    """Data without extra fields and without type conversion."""

    model_config = ConfigDict(extra="forbid", strict=True)


class DatasetRecord(StrictModel):
    """A task of a published file."""

    task_id: str


_BLANK = re.compile(r"[ \t\r\n]*")


def read(path: Path, model: type[Record]) -> list[tuple[str, Record]]:
    """Return the records of a file, JSON Lines or one JSON array, each with its place: "FILE, line N"."""
    text = _text(path)
    values = _array(path, text) if text.lstrip()[:1] == "[" else _lines(path, text)
    return [(where, checked(model, value, where)) for where, value in values]


def content_hash(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_ids(path: Path, ids: Sequence[tuple[str, str]], count: int = 0, known: Sequence[str] = ()) -> None:
    """Raise UsageError unless each task is present once. `ids`: place and id. Pass the `count` or all `known` ids."""
    seen: dict[str, str] = {}
    for where, task_id in ids:
        if task_id in seen:
            raise UsageError(f"{where}: task_id: {task_id} is there twice, first in {seen[task_id]}")
        if known and task_id not in known:
            raise UsageError(f"{where}: task_id: {task_id} is not a published task")
        seen[task_id] = where
    count = len(known) or count
    if len(seen) < count:
        last = f"; the last one is in {ids[-1][0]}" if ids else ""
        first = next((f", the first {task_id}" for task_id in known if task_id not in seen), "")
        raise UsageError(f"{path}: {count - len(seen)} of {count} tasks are missing{first}{last}; is the file cut off?")


def checked(model: type[Record], value: Any, where: str) -> Record:
    """Return the value as a record of that model. Raises UsageError with the place and the field."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: {field + ': ' if field else ''}{first['msg']}") from error


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}, line {line}: is not UTF-8") from error


def _lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            value, end = _value(path, line, 0, number)
            if line[end:].strip():
                raise UsageError(f"{where}: is not JSON (something follows the object)")
            yield where, value


def _array(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    at = _skip(text, text.index("[") + 1)
    more = text[at : at + 1] != "]"
    while more:
        value, end = _value(path, text, at, 1)
        yield f"{path}, line {_line(text, at)}", value
        at = _skip(text, end)
        if text[at : at + 1] not in (",", "]"):
            where = f"{path}, line {_line(text, at)}"
            raise UsageError(f"{where}: is not JSON (the list is incomplete). Is the file truncated?")
        more = text[at] == ","
        at = _skip(text, at + 1) if more else at
    if text[at + 1 :].strip():
        raise UsageError(f"{path}, line {_line(text, _skip(text, at + 1))}: is not JSON (something follows the list)")


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    assert match is not None
    return match.end()


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _value(path: Path, text: str, at: int, first_line: int) -> tuple[Any, int]:
    """Return the JSON value at that place and its end. `first_line`: the number of the text's first line."""
    try:
        value, end = _DECODER.raw_decode(text, _skip(text, at))
        # lone surrogates and numbers that are too large for a float cannot be written
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError as error:
        where = f"{path}, line {first_line + error.lineno - 1}"
        raise UsageError(f"{where}: is not JSON ({error.msg}); is the file cut off?") from error
    except (ValueError, RecursionError) as error:
        where = f"{path}, line {first_line + _line(text, at) - 1}"
        raise UsageError(f"{where}: is not JSON that can be used: {error}") from error
    return value, end


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a field is given twice")
    return dict(pairs)


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_once)
