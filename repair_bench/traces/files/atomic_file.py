"""Atomic writes: a file gets its name only when it is complete, even if the disk fills up or the process is killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.journal import sync_directory

_UNFINISHED = ".new"


def is_unfinished(path: Path, name: str) -> bool:
    """Whether this is an unfinished copy of the file `name`, as left behind by a killed process."""
    return path.name.startswith(f".{name}.") and path.suffix == _UNFINISHED


def sibling(path: Path, name: str) -> Path:
    """Return `path.with_name(name)`. Raises UsageError for a path such as "." or "..", which ends without a name."""
    if path.name in ("", ".."):
        raise UsageError(f"{path} is an existing directory that cannot be replaced: choose a new path as --out")
    return path.with_name(name)


@contextlib.contextmanager
def unfinished(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """Yield the path of a temporary file that replaces `path` at the end of the block. Creates missing folders.

    `durable`: sync it to disk. If the block raises an exception, or the file cannot be written (UsageError), the old
    file at `path` is left unchanged.
    """
    temporary = sibling(path, f".{path.name}.{os.getpid()}{_UNFINISHED}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(path)
        with temporary.open("ab") as locked:
            fcntl.flock(locked, fcntl.LOCK_EX)
            try:
                yield temporary
                if durable:
                    os.fsync(locked.fileno())
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
        if durable:
            sync_directory(path.parent)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error


def write_whole(path: Path, parts: Iterable[str | bytes], *, durable: bool = False) -> None:
    """Write the parts (text as UTF-8) to a file that then replaces `path` (see `unfinished`)."""
    with unfinished(path, durable=durable) as temporary, temporary.open("wb") as file:
        for part in parts:
            file.write(part.encode() if isinstance(part, str) else part)


def _remove_abandoned(path: Path) -> None:
    """Remove unfinished copies of a file that killed processes left behind.

    An unfinished copy that is not locked belongs to a killed process.
    """
    for entry in path.parent.iterdir():
        if is_unfinished(entry, path.name):
            with contextlib.suppress(FileNotFoundError, BlockingIOError), entry.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                entry.unlink()
