"""The official files of QuanBench+, read strictly: what is malformed raises one UsageError and nothing is loaded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from repair_bench.suites import datafiles
from repair_bench.traces.faults import UsageError

PUBLISHED_IN = ("qiskit", "pennylane", "cirq")
"""The frameworks of its tasks."""
REFERENCES_IN = "qiskit"
"""The framework of its references, in all three files."""
STORED = "canonical_solutions.json"


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
    lines: dict[str, Line] = {}
    for where, task in datafiles.read(path, Line):
        _add(lines, task.task_id, task, where, ids)
    _complete(lines, path, ids)
    return lines


def read_stored(path: Path, ids: Sequence[str]) -> dict[str, list[float]]:
    """The stored draws by id: exactly `ids`, each once."""
    draws: dict[str, list[float]] = {}
    for where, stored in datafiles.read(path, Stored):
        output = stored.canonical_output
        if len(output).bit_count() != 1:
            raise UsageError(f"{where}: canonical_output: {len(output)} entries are no power of two")
        if any(not 0 <= p <= 1 for p in output) or abs(math.fsum(output) - 1) > 1e-6:
            raise UsageError(f"{where}: canonical_output: is not a probability distribution")
        _add(draws, stored.task_id, output, where, ids)
    _complete(draws, path, ids)
    return draws


def content_hash(paths: Mapping[str, Path]) -> str:
    """SHA-256 over the names and bytes of the files."""
    return datafiles.digest((name, path.read_bytes()) for name, path in sorted(paths.items()))


def _add(read: dict[str, Any], task_id: str, value: Any, where: str, ids: Sequence[str]) -> None:
    if task_id in read:
        raise UsageError(f"{where}: task_id: {task_id} is there twice")
    if task_id not in ids:
        raise UsageError(f"{where}: task_id: {task_id} is not a task of QuanBench+")
    read[task_id] = value


def _complete(read: dict[str, Any], path: Path, ids: Sequence[str]) -> None:
    if missing := [task_id for task_id in ids if task_id not in read]:
        raise UsageError(f"{path}: {len(missing)} of {len(ids)} tasks are missing, the first {missing[0]}")
