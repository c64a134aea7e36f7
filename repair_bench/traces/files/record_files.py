"""Read a third party's record safely. Every file must be inside the record's directory, and its size is limited.

A record is a directory that the user names: a run, a site, or the output of an audit.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import msgspec

from repair_bench.traces.faults import DamagedRecordError, UsageError

MAX_JSON_BYTES = 16 * 2**20
"""Maximum size of a JSON file. When parsed into Python objects, a file may take fifty times its size in memory."""
MAX_LINE_BYTES = 64 * 2**20
"""Maximum length of a line. Even a line with a whole conversation is far shorter than this maximum, because context
windows are limited."""

_FOLDERS = ("plots", "sft", "dpo", "runs")
"""The folders that belong to a run or a site."""
_MAX_SHOWN = 300
"""Maximum length of an explanation, which may quote the record."""

_REMEDIES = {
    "attempts.jsonl": "the attempt is then repeated from its stored completion, and no other data is lost",
    "completions.jsonl": "recorded attempts are kept, and only completions of unrecorded attempts are requested again",
}


def check_contained(directory: Path) -> None:
    """Raise UsageError if a record contains a symbolic link, a pipe or a device. Unknown folders are ignored."""
    left = [directory]
    while left:
        folder = left.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue  # reported when it is read
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if folder != directory or entry.name in _FOLDERS:
                    left.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False) and _exists(entry):
                kind = "a symbolic link" if entry.is_symlink() else "not a regular file"
                raise UsageError(
                    f"{entry.path} is {kind}; a record may contain only regular files. Replace or remove {entry.name}"
                )


def read_text(path: Path) -> str:
    """Return the text of a file in a record.

    Raises OSError if the file cannot be read, and ValueError if the text is too long or is not UTF-8.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(min(size, MAX_JSON_BYTES) + 1)  # `read` allocates the requested size
    if len(data) > MAX_JSON_BYTES:
        raise ValueError(f"the file is longer than {MAX_JSON_BYTES >> 20} MiB")
    return data.decode()


def read_json(path: Path) -> Any:
    """Read a JSON file from a record's directory.

    Raises FileNotFoundError if the file is missing, and UsageError if it is unreadable.
    """
    try:
        value = json.loads(read_text(path))
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except FileNotFoundError:
        raise
    except RecursionError:
        raise UsageError(f"{path} cannot be read: the JSON is nested too deeply") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    return value


def read_as(path: Path, kind: Any) -> Any:
    """Read a JSON file from a record's directory, and check that the content has the type `kind`.

    Raises FileNotFoundError if the file is missing, and UsageError if the file is unreadable or has the wrong type.
    """
    value = read_json(path)
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    return value


def damaged(path: Path, line: int, defect: str) -> DamagedRecordError:
    """Return the error for a damaged line; its message suggests a remedy if one is known."""
    remedy = _REMEDIES.get(path.name)
    more = f". Delete this line and resume the run: {remedy}" if remedy is not None else ""
    shown = defect if len(defect) <= _MAX_SHOWN else f"{defect[:_MAX_SHOWN]}..."
    return DamagedRecordError(f"{path}, line {line}: {shown}{more}")


def _exists(entry: os.DirEntry[str]) -> bool:
    """Whether the entry still exists and is not a regular file; another process may have just renamed it."""
    try:
        return not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode)
    except OSError:
        return False
