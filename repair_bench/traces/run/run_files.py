"""The files of a run directory. `store` describes those that only it reads.

| file | content |
| --- | --- |
| `run.json` | the manifest; its part `experiment` must not change between sessions |
| `attempts.jsonl` | one `Attempt` per line |
| `study.lock` | the preregistered comparisons |
| `experiment.toml` | the experiment as a file for `run` |
| `donors.json` | failures of other tasks for placebo feedback |
| `origin.jsonl` | the attempts of another run or file that the run repairs, one episode per line |
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.journal import Line
from repair_bench.traces.files.record_files import damaged
from repair_bench.traces.record.records import SCHEMA, Attempt

if TYPE_CHECKING:
    from repair_bench.traces.record.lazy_attempt import Row

MANIFEST = "run.json"
ATTEMPTS = "attempts.jsonl"
EXPERIMENT = "experiment.toml"
DONORS = "donors.json"
ORIGIN = "origin.jsonl"


def check_schema(schema: int, path: Path, number: int) -> None:
    """Raise UsageError for a line of another format."""
    if schema != SCHEMA:
        whose, remedy = ("a newer", "update it") if schema > SCHEMA else ("an older", "use that version")
        raise UsageError(
            f"{path}, line {number}: written in format {schema} by {whose} repair-bench, but this version reads only "
            f"format {SCHEMA}: {remedy} to read this run"
        )


def replaces(new: Attempt | Row, old: Attempt | Row) -> bool:
    """Whether a later line of an attempt replaces an earlier one; a fault does not replace a verdict."""
    return old.verdict is None or new.verdict is not None


def attempt_of(line: Line[dict[str, Any]], path: Path) -> Attempt:
    """Return the attempt in a line. Raises DamagedRecordError, and UsageError for another format."""
    check_schema(line.data.get("schema", SCHEMA), path, line.number)
    try:
        return Attempt.from_json(line.data)
    except (KeyError, ValueError) as error:
        raise damaged(path, line.number, f"not an attempt: {error}") from error
