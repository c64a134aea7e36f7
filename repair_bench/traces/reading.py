"""A run directory as it is read: its manifest, and its attempts with all their texts.

| file | holds |
| --- | --- |
| `run.json` | the manifest; its part `experiment` is everything that must not change between sessions |
| `attempts.jsonl` | one `Attempt` a line |
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repair_bench.traces.faults import TraceError, UsageError
from repair_bench.traces.journal import Line, parse, read_lines
from repair_bench.traces.records import SCHEMA, Attempt

if TYPE_CHECKING:
    from repair_bench.traces.row import Row

MANIFEST = "run.json"
ATTEMPTS = "attempts.jsonl"


def load_run(directory: Path) -> tuple[dict[str, Any], list[Attempt]]:
    """The manifest and the attempts of a run, read only; also while the run is still being written.

    Raises UsageError when the directory holds no run, TraceError when its record is damaged.
    """
    manifest = read_manifest(directory)
    loader = Attempts(directory / ATTEMPTS)
    for line in read_lines(loader.path, parse):
        loader.visit(line)
    return manifest, loader.all()


def read_manifest(directory: Path) -> dict[str, Any]:
    """What `run.json` holds. Raises UsageError when it is missing or cannot be read."""
    path = directory / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"{directory} holds no run: there is no {MANIFEST} in it") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    if not isinstance(manifest, dict):
        raise UsageError(f"{path} cannot be read: it is not a JSON object")
    return manifest


def check_schema(schema: int, path: Path, number: int) -> bool:
    """Whether a line is of an older format, which can be read. Raises UsageError for that of a newer version."""
    if schema > SCHEMA:
        raise UsageError(
            f"{path}, line {number}: written in format {schema} by a newer repair-bench; this one reads up to format "
            f"{SCHEMA}: update it to read this run"
        )
    return schema < SCHEMA


def replaces(new: Attempt | Row, old: Attempt | Row) -> bool:
    """Whether a later line of an attempt counts in the place of an earlier one: always, but a verdict beats a fault."""
    return old.verdict is None or new.verdict is not None


class Attempts:
    """Attempts as they are read, one per episode and id.

    The episode is part of the key because the arms of an experiment share the id of attempt 0.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: dict[tuple[str, str], Attempt] = {}
        self._texts: dict[str, str] = {}

    def all(self) -> list[Attempt]:
        return list(self._kept.values())

    def visit(self, line: Line[dict[str, Any]]) -> None:
        attempt = attempt_of(line, self.path)
        for message in attempt.messages:
            # each attempt repeats the conversation before it: one copy of every text is enough
            message["content"] = self._texts.setdefault(message["content"], message["content"])
        self.add(attempt)

    def add(self, attempt: Attempt) -> None:
        key = (attempt.episode, attempt.id)
        old = self._kept.get(key)
        if old is None or replaces(attempt, old):
            self._kept[key] = attempt


def attempt_of(line: Line[dict[str, Any]], path: Path) -> Attempt:
    """The attempt that a line records. Raises TraceError when it is none, UsageError when a newer version wrote it."""
    check_schema(line.data.get("schema", SCHEMA), path, line.number)
    try:
        attempt = Attempt.from_json(line.data)
        for message in attempt.messages:
            message["content"]
    except (KeyError, TypeError, AttributeError) as error:
        raise TraceError(f"{path}, line {line.number}: not an attempt: {error}") from error
    return attempt
