"""Read files of stored answers, which contain one JSON object per line."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.writable import is_deeper

MAX_NESTED = 100
"""Maximum nesting depth of lists and objects in a line."""


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file so that it can be read repeatedly; for a pipe, open a copy of its content. Raises UsageError."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    with file:
        if file.seekable():
            yield file
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(file, copy)
            yield copy


def read(file: BinaryIO, path: Path, suite: Suite, field: str | None = None) -> Iterator[tuple[dict[str, Any], Task]]:
    """Yield every non-empty line of a file, together with the task that the line answers. Start at the first line.

    Lines end at line feeds only. `field`: a field that must be true, false or null. Raises UsageError with the line.
    """
    tasks = {(task.id, task.framework): task for task in suite.tasks}
    frameworks = sorted({task.framework for task in suite.tasks})
    file.seek(0)
    for number, row in enumerate(file, start=1):
        if not row.strip():
            continue
        where = f"{path}:{number}"
        line = _parsed(row, where)
        if not isinstance(line, dict) or not isinstance(line.get("code", line.get("completion")), str):
            raise UsageError(f'{where}: expected an object with "task_id", "framework" and "code" or "completion"')
        if field is not None and not isinstance(line.get(field), bool | None):
            raise UsageError(f'{where}: "{field}" must be true for passed, false for failed, or null for unknown')
        if "framework" not in line and len(frameworks) == 1:
            line["framework"] = frameworks[0]
        named = line.get("task_id"), line.get("framework")
        task = tasks.get(named) if all(isinstance(name, str) for name in named) else None  # type: ignore[arg-type]
        if task is None:
            task_id, framework = (repr(name)[:80] for name in named)
            raise UsageError(f"{where}: {suite.name} has no task {task_id} in framework {framework}")
        yield line, task


def _parsed(row: bytes, where: str) -> Any:
    try:
        value = json.loads(row.decode())
        json.dumps(value, allow_nan=False)
    except UnicodeDecodeError as error:
        raise UsageError(f"{where}: not UTF-8 ({error.reason} at byte {error.start})") from None
    except ValueError as error:
        raise UsageError(f"{where}: not JSON ({error})") from None
    except RecursionError:
        value = None
    else:
        if not is_deeper(value, MAX_NESTED):
            return value
    raise UsageError(f"{where}: lists and objects are nested more than {MAX_NESTED} levels deep")
