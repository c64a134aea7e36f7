"""Read dataset files strictly. Malformed content raises a UsageError that names the file and the line or item."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from repair_bench.traces.faults import UsageError

Record = TypeVar("Record", bound=BaseModel)


class StrictModel(BaseModel):
    """A pydantic model that forbids extra fields and type conversions."""

    model_config = ConfigDict(extra="forbid", strict=True)


class DatasetRecord(StrictModel):
    """A task in a published file."""

    task_id: str


def read(path: Path, model: type[Record]) -> list[tuple[str, Record]]:
    """Return the records in a file with their locations: "FILE, line N" (JSON Lines) or "FILE, item N" (JSON array)."""
    return [(where, checked(model, value, where)) for where, value in _values(path, _text(path))]


def content_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_ids(path: Path, ids: Sequence[tuple[str, str]], count: int = 0, known: Sequence[str] = ()) -> None:
    """Raise UsageError unless every task occurs once. `ids`: places and IDs. Pass either `count` or all `known` IDs."""
    seen: dict[str, str] = {}
    for where, task_id in ids:
        if task_id in seen:
            raise UsageError(f"{where}: task_id: {task_id} occurs twice, first in {seen[task_id]}")
        if known and task_id not in known:
            raise UsageError(f"{where}: task_id: {task_id} is not a published task")
        seen[task_id] = where
    count = len(known) or count
    if len(seen) < count:
        last = f"; the last task is in {ids[-1][0]}" if ids else ""
        first = next((f", the first {task_id}" for task_id in known if task_id not in seen), "")
        raise UsageError(
            f"{path}: {count - len(seen)} of {count} tasks are missing{first}{last}; is the file truncated?"
        )


def checked(model: type[Record], value: Any, where: str) -> Record:
    """Convert a JSON value to an instance of the Pydantic class `model`.

    Raises a UsageError that names the location and the field.
    """
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


def _values(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    if text.lstrip()[:1] == "[":
        for number, value in enumerate(_value(path, text, 1), start=1):
            yield f"{path}, item {number}", value
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{path}, line {number}", _value(path, line, number)


def _value(path: Path, text: str, first_line: int) -> Any:
    """Parse a JSON text. `first_line`: the line of the file on which the text begins."""
    try:
        value = _DECODER.decode(text)
        # lone surrogates, and numbers too large for a float, cannot be written
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError as error:
        where = f"{path}, line {first_line + error.lineno - 1}"
        raise UsageError(f"{where}: is not JSON ({error.msg}). Is the file truncated?") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}, line {first_line}: cannot be used as JSON: {error}") from error
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a field occurs twice")
    return dict(pairs)


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_once)
