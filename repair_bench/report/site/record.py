"""The published record of a run, with a digest of each line, so that changed lines can be identified."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from repair_bench.report.exports import parquet
from repair_bench.report.site.layout import DIGESTS, INPUTS, RECORD
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import write_whole
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.run_files import ATTEMPTS, MANIFEST
from repair_bench.traces.run.run_reader import Run

_BYTES = 16


class Line(NamedTuple):
    """A line of a published record. `unchanged`: whether the line matches its published digest."""

    attempt: Attempt
    unchanged: bool


def write_record(run: Run, folder: Path) -> None:
    """Write the record of a run, and a digest of each line. Raises UsageError if pyarrow is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / DIGESTS).open("w", encoding="utf-8") as digests:

        def noted() -> Iterator[dict[str, Any]]:
            for line in parquet.lines(run):
                digests.write(f"{_digest(line)}  {_name(line)}\n")
                yield line

        parquet.write_lines(noted(), folder / RECORD)


def read_record(folder: Path) -> Iterator[Line]:
    """Yield the lines of a record in order. Raises UsageError if a file cannot be read or a line is not an attempt."""
    digests = {name: digest for digest, name in _stated(folder)}
    for number, line in enumerate(parquet.read_lines(folder / RECORD), 1):
        try:
            yield Line(parquet.attempt(line), digests.get(_name(line)) == _digest(line))
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"{folder / RECORD}, line {number}: not an attempt: {error}") from error


def restore(folder: Path, directory: Path) -> None:
    """Restore a run directory from a published record. Raises UsageError."""
    lines = (json.dumps(line.attempt.to_json()) + "\n" for line in read_record(folder))
    write_whole(directory / ATTEMPTS, lines)
    for name in (MANIFEST, *INPUTS):
        if (folder / name).exists():
            shutil.copyfile(folder / name, directory / name)


def missing(folder: Path) -> int:
    """Return the number of lines that have a digest but are missing from the record. Raises UsageError."""
    stated = {name for _, name in _stated(folder)}
    try:
        return len(stated - {_name(line) for line in parquet.read_lines(folder / RECORD)})
    except (KeyError, TypeError) as error:
        raise UsageError(f"{folder / RECORD}: not a record of attempts: {error}") from error


def _stated(folder: Path) -> Iterator[tuple[str, str]]:
    path = folder / DIGESTS
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            digest, _, name = line.partition("  ")
            yield digest, name
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def _digest(line: Mapping[str, Any]) -> str:
    return hashlib.blake2b(msgspec.json.encode(line), digest_size=_BYTES).hexdigest()


def _name(line: Mapping[str, Any]) -> str:
    return json.dumps([line["episode"], line["id"]])
