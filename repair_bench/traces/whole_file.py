"""Files that have their name only once they are whole: a full disk, or a kill, leaves none of them cut."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from repair_bench.traces.faults import UsageError
from repair_bench.traces.journal import sync_directory

_UNFINISHED = ".new"


def is_unfinished(path: Path, name: str) -> bool:
    """Whether a kill left this behind, of a file called `name`."""
    return path.name.startswith(f".{name}.") and path.suffix == _UNFINISHED


def write_whole(path: Path, parts: Iterable[str | bytes], *, durable: bool = False) -> None:
    """Write the parts, text as UTF-8, to a file beside `path`, which then takes its place; folders are made.

    `durable`: it is on the disk on return. Raises UsageError when it cannot be written, and what `parts` raises; what
    stood at `path` stays then.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}{_UNFINISHED}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with unfinished.open("wb") as file:
                for part in parts:
                    file.write(part.encode() if isinstance(part, str) else part)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        if durable:
            sync_directory(path.parent)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
