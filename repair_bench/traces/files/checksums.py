"""The checksums of the files in a folder, in the format of `sha256sum --check`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import write_whole
from repair_bench.traces.files.record_files import check_contained, read_text

SUMS = "SHA256SUMS"
SIGNATURE = f"{SUMS}.sig"
"""The file with the signature of the checksums. `SHA256SUMS` does not list this file."""


def write_sums(directory: Path) -> None:
    lines = (f"{digest}  {name}\n" for name, digest in sorted(_digests(directory)))
    write_whole(directory / SUMS, lines)


def read_sums(directory: Path) -> dict[str, str]:
    """Return the files' digests, keyed by path in the folder. Raises UsageError for links and unreadable files."""
    path = directory / SUMS
    check_contained(directory)
    try:
        lines = read_text(path).splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    sums = {}
    for number, line in enumerate(lines, 1):
        digest, gap, name = line.partition("  ")
        if len(digest) != 64 or not gap or not name:
            raise UsageError(f"{path}, line {number}: expected a checksum and a file name")
        sums[name] = digest
    return sums


def differences(directory: Path) -> list[str]:
    """Return one sentence for each file that does not match its checksum. Raises UsageError as `read_sums` does."""
    stated, found = read_sums(directory), dict(_digests(directory))
    changed = [f"{name}: changed since publication" for name in stated if found.get(name, stated[name]) != stated[name]]
    missing = [f"{name}: missing" for name in stated if name not in found]
    added = [f"{name}: added since publication" for name in sorted(found) if name not in stated]
    return [*changed, *missing, *added]


def _digests(directory: Path) -> Iterator[tuple[str, str]]:
    for path in directory.rglob("*"):
        if path.is_file() and path not in (directory / SUMS, directory / SIGNATURE):
            with path.open("rb") as file:
                yield path.relative_to(directory).as_posix(), hashlib.file_digest(file, "sha256").hexdigest()
