"""Files of a run directory. The docstring of the module `store` lists more files of a run directory.

| file | content |
| --- | --- |
| `run.json` | the manifest; its key `experiment` must not change between sessions |
| `attempts.jsonl` | one `Attempt` per line |
| `study.lock` | the preregistered comparisons |
| `experiment.toml` | the experiment as a file for `run` |
| `donors.json` | failures on other tasks, used as placebo feedback |
| `origin.jsonl` | the attempts that this run repairs, copied from another run or a file; one episode per line |
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import SCHEMA

if TYPE_CHECKING:
    from repair_bench.traces.record.lazy_attempt import Recorded

MANIFEST = "run.json"
ATTEMPTS = "attempts.jsonl"
EXPERIMENT = "experiment.toml"
PLACEBO_SOURCES = "donors.json"
ORIGIN = "origin.jsonl"


def check_schema(schema: int, path: Path, number: int) -> None:
    """Raise UsageError for a line in a different format version."""
    if schema != SCHEMA:
        whose, remedy = ("a newer", "update repair-bench") if schema > SCHEMA else ("an older", "use that version")
        raise UsageError(
            f"{path}, line {number}: {whose} version wrote the run in format {schema}, but this version reads only "
            f"format {SCHEMA}. To read the run, {remedy}"
        )


def replaces(new: Recorded, old: Recorded) -> bool:
    """Whether a later line for an attempt replaces an earlier line. A fault never replaces a verdict."""
    return old.verdict is None or new.verdict is not None
