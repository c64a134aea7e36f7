"""Check that an attempt is consistent with its run. This check finds damaged values that have the correct JSON type.

`repair-bench verify` checks the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from operator import attrgetter
from typing import Any

from repair_bench.traces.faults import DamagedRecordError
from repair_bench.traces.files.record_files import damaged
from repair_bench.traces.record.lazy_attempt import Row, line_number
from repair_bench.traces.run.manifest import Manifest

_FIXED = (
    *("model", "suite", "suite_version", "task_id", "framework", "category", "difficulty"),
    *("condition", "sample", "stoppable"),
)
"""The fields that all attempts of an episode have in common."""
_MAX_ATTEMPT = 1_000
_MAX_NAME = 1_000
_MAX_AMOUNT = 1e9
"""The largest plausible value of any amount in an attempt. Amounts are durations in seconds, costs in US dollars, and
counts such as the number of requests."""

_fixed = attrgetter(*_FIXED)
_planned = attrgetter("task_id", "framework", "suite", "model", "condition", "sample")
"""The fields that identify a planned episode."""


def check_in_episode(row: Row, path: Sequence[Row]) -> None:
    """Raise DamagedRecordError for a row that has impossible numbers or contradicts its episode's earlier rows."""
    if not 0 <= row.attempt <= _MAX_ATTEMPT:
        raise _damaged(row, f"not an attempt: {row.attempt} is not a valid attempt number")
    if any(len(text) > _MAX_NAME for text in _fixed(row) if isinstance(text, str)):
        raise _damaged(row, f"not an attempt: a name is longer than {_MAX_NAME:,} characters")
    for name, value in _amounts(row):
        if not 0 <= value <= _MAX_AMOUNT:
            raise _damaged(row, f"not an attempt: {value} is not a valid value of `{name}`")
    if path and _fixed(path[0]) != _fixed(row):
        name = next(name for name in _FIXED if getattr(path[0], name) != getattr(row, name))
        ours, theirs = (repr(getattr(one, name)) for one in (row, path[0]))
        raise _damaged(row, f"the {name} is {ours}, but {theirs} in line {_line(path[0])} of the same episode")
    if other := next((old for old in path if (old.id == row.id) != (old.attempt == row.attempt)), None):
        raise _damaged(row, f"another attempt, on line {_line(other)}, has the same id or number")


def check_planned(rows: Sequence[Row], manifest: Manifest) -> None:
    """Raise DamagedRecordError for an attempt that does not belong to the run, and for a duplicate episode."""
    if not manifest.suite_contents:
        return  # not the manifest of a real run
    experiment, titles = manifest.experiment, manifest.titles
    planned: dict[str, Collection[Any]] = {
        "model": experiment.get("models") or (),
        "framework": experiment.get("frameworks") or (),
        "condition": manifest.conditions,
        "sample": () if manifest.is_fork else range(experiment.get("samples") or 0),  # a file may have more
        "attempt": range(0 if manifest.repairs is None else manifest.repairs + 1),
    }
    forked = manifest.is_fork
    first: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        for name, values in planned.items():
            if values and getattr(row, name) not in values:
                raise _damaged(row, f"the run has no {name} {getattr(row, name)!r}")
        if titles and (row.suite, row.task_id) not in titles:
            raise _damaged(row, f"the run has no task {row.task_id!r} from {row.suite!r}")
        other = first.setdefault(_planned(row), row)
        if other.episode != row.episode and not forked:  # arms of the forked run may meet in one arm of the fork
            same = "the task, model, condition and sample are the same as in another episode"
            raise _damaged(row, f"{same}, in line {_line(other)}")


def _amounts(row: Row) -> Iterator[tuple[str, float]]:
    for record, names in (
        (row, ("sample", "executions")),
        (row.completion, ("cost_usd", "latency_seconds", "requests")),
        (row.outcome, ("cpu_seconds", "wall_seconds")),
        (row.feedback, ("redacted",)),
    ):
        for name in names:
            if record is not None and (value := getattr(record, name)) is not None:
                yield name, value


def _damaged(row: Row, defect: str) -> DamagedRecordError:
    return damaged(row.path, _line(row), defect)


def _line(row: Row) -> int:
    return line_number(row.path, row.offset)
