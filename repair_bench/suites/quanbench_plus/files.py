"""The official files of QuanBench+, read strictly: what is malformed raises one UsageError and nothing is loaded."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from repair_bench.executors.program import FRAMEWORKS
from repair_bench.traces.faults import UsageError

T = TypeVar("T", bound=BaseModel)

STORED = "canonical_solutions.json"
FILES = (*(f"{framework}.jsonl" for framework in FRAMEWORKS), STORED)


class Line(BaseModel):
    """One task in one framework. `canonical_solution` is Qiskit code in all three files."""

    model_config = ConfigDict(extra="forbid", strict=True)

    task_id: str = Field(pattern=r"^\d\d$")
    complete_prompt: str = Field(min_length=1)
    entry_point: str = Field(pattern=r"^[A-Za-z_]\w*$")
    canonical_solution: str = Field(min_length=1)
    category: Literal["QUANTUM_ALGO", "STATE_PREPARATION", "DECOMPOSITION"]


class Stored(BaseModel):
    """One stored draw of 1000 shots (10000 for task 03): relative frequencies, in the order of Qiskit's keys."""

    model_config = ConfigDict(extra="forbid", strict=True)

    task_id: str = Field(pattern=r"^\d\d$")
    canonical_output: list[float] = Field(min_length=2)


def read_lines(path: Path, ids: Sequence[str]) -> dict[str, Line]:
    """The tasks of one framework by id: exactly `ids`, each once."""
    found: dict[str, Line] = {}
    text = _text(path)
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        task = _checked(Line, _json(line, where), where)
        _add(found, task.task_id, task, where, ids)
    _complete(found, path, ids)
    return found


def read_stored(path: Path, ids: Sequence[str]) -> dict[str, list[float]]:
    """The stored draws by id: exactly `ids`, each once."""
    raw = _json(_text(path), str(path))
    if not isinstance(raw, list):
        raise UsageError(f"{path}, line 1: is not a list of tasks")
    found: dict[str, list[float]] = {}
    for number, entry in enumerate(raw, start=1):
        where = f"{path}, entry {number}"
        stored = _checked(Stored, entry, where)
        output = stored.canonical_output
        if len(output).bit_count() != 1:
            raise UsageError(f"{where}: canonical_output: {len(output)} entries are no power of two")
        if any(not 0 <= p <= 1 for p in output) or abs(math.fsum(output) - 1) > 1e-6:
            raise UsageError(f"{where}: canonical_output: is not a probability distribution")
        _add(found, stored.task_id, output, where, ids)
    _complete(found, path, ids)
    return found


def content_hash(folder: Path) -> str:
    """SHA-256 over the names and bytes of the four files."""
    digest = hashlib.sha256()
    for name in sorted(FILES):
        data = (folder / name).read_bytes()
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


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


def _json(text: str, where: str) -> Any:
    def reject(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise ValueError("a field is given twice")
        return dict(pairs)

    try:
        value = json.loads(text, parse_constant=reject, object_pairs_hook=once)
        json.dumps(value, ensure_ascii=False).encode()  # lone surrogates cannot be written again
    except json.JSONDecodeError as error:
        where = where if ", line " in where else f"{where}, line {error.lineno}"
        raise UsageError(f"{where}: is not JSON ({error.msg}); is the file cut off?") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: is not JSON that can be used: {error}") from error
    return value


def _checked(model: type[T], value: Any, where: str) -> T:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: {field + ': ' if field else ''}{first['msg']}") from error


def _add(found: dict[str, Any], task_id: str, value: Any, where: str, ids: Sequence[str]) -> None:
    if task_id in found:
        raise UsageError(f"{where}: task_id: {task_id} is there twice")
    if task_id not in ids:
        raise UsageError(f"{where}: task_id: {task_id} is not a task of QuanBench+")
    found[task_id] = value


def _complete(found: dict[str, Any], path: Path, ids: Sequence[str]) -> None:
    if missing := [task_id for task_id in ids if task_id not in found]:
        raise UsageError(f"{path}: {len(missing)} of {len(ids)} tasks are missing, the first {missing[0]}")
