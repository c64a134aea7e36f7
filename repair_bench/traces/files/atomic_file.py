"""Files that have their name only once they are whole: a full disk, or a kill, leaves none of them cut."""

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
    """Whether a kill left this behind, of a file called `name`."""
    return path.name.startswith(f".{name}.") and path.suffix == _UNFINISHED


@contextlib.contextmanager
def unfinished(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """Where to write a file that takes the place of `path` at the end of the block; folders are made.

    `durable`: it is on the disk then. Raises UsageError when it cannot be written, and what the block raises; what
    stood at `path` stays then.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}{_UNFINISHED}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(path)
        with beside.open("ab") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            try:
                yield beside
                if durable:
                    os.fsync(held.fileno())
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)
        if durable:
            sync_directory(path.parent)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error


def write_whole(path: Path, parts: Iterable[str | bytes], *, durable: bool = False) -> None:
    """Write the parts, text as UTF-8, to a file that then takes the place of `path`, as `unfinished` says."""
    with unfinished(path, durable=durable) as beside, beside.open("wb") as file:
        for part in parts:
            file.write(part.encode() if isinstance(part, str) else part)


def _remove_abandoned(path: Path) -> None:
    """Remove what killed processes left of this file: nobody holds a lock on it."""
    for entry in path.parent.iterdir():
        if is_unfinished(entry, path.name):
            with contextlib.suppress(FileNotFoundError, BlockingIOError), entry.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                entry.unlink()
