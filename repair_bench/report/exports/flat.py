"""CSV for spreadsheets: one attempt per row, without nested data.

Unknown values are left empty. Texts with line breaks are quoted, as in RFC 4180. A text that a spreadsheet would
run as a formula (because it starts with =, +, -, @, a tab or a carriage return) is prefixed with an apostrophe.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_origin

from repair_bench.analysis.taxonomy import QUANBENCH_PLUS, QUANTUM_KATAS, error_class, error_type
from repair_bench.traces.files.atomic_file import unfinished
from repair_bench.traces.record.declaration import Field, fields_of
from repair_bench.traces.record.lazy_attempt import Recorded, with_texts
from repair_bench.traces.record.printable import clean
from repair_bench.traces.record.records import Attempt, Query
from repair_bench.traces.run.run_reader import Run


def _query(role: str, place: str = "") -> dict[str, str | Callable[[Any], Any]]:
    """Return the CSV columns for a critic's or a probe's reply. `place`: a prefix that is added to the path of each
    value, such as "critic.".
    """
    usage = {f"{role}_{kind}": f"{place}completion.usage.{kind}" for kind in ("prompt_tokens", "completion_tokens")}
    named = {f"{role}_model": f"{place}model", role: f"{place}completion.text"}
    return {**named, **usage, f"{role}_cost_usd": f"{place}completion.cost_usd"}


_PARTS: dict[str, dict[str, str | Callable[[Any], Any]]] = {
    "feedback": {
        "feedback_policy": "policy",
        "feedback_text": "text",
        "feedback_redacted": "redacted",
        **_query("critic", "critic."),
    },
    "probe": _query("probe"),
    "messages": {"prompt": lambda messages: messages[0]["content"] if messages else None},
    "completion": {
        "completion": "text",
        "prompt_tokens": "usage.prompt_tokens",
        "completion_tokens": "usage.completion_tokens",
        "cost_usd": "cost_usd",
        "requests": "requests",
        "latency_seconds": "latency_seconds",
        "finish_reason": "finish_reason",
        "reply": "reply",
        "reasoning_tokens": "usage.completion_tokens_details.reasoning_tokens",
        "cached_tokens": "usage.prompt_tokens_details.cached_tokens",
    },
    "outcome": {
        "outcome": "status",
        "exception_type": "exception.type",
        "exception_message": "exception.message",
        "cpu_seconds": "cpu_seconds",
        "wall_seconds": "wall_seconds",
    },
    "verdict": {
        "verdict": "kind",
        "error_class": error_class,
        "error_type": error_type,
        "quanbench_plus": QUANBENCH_PLUS.of,
        "quantum_katas": QUANTUM_KATAS.of,
        "rule": "rule",
        "sealed": "sealed",
        "problem": "evidence.problem",
        "published": "published",
    },
    "fault": {"fault": "boundary", "fault_message": "message"},
}
"""Maps each field of an attempt to its CSV columns. The value of a column is found by a path within the field, or
computed by a function of the field."""
_OMITTED = {
    "feedback.ran.exception.traceback",
    "feedback.ran.sealed",
    "feedback.donor",
    "completion.cost_source",
    "completion.cached",
    "completion.served_by",
    "outcome.exception.traceback",
    "outcome.stdout",
    "outcome.sealed",  # repeated in the verdict
    "fault.retries",
    "schema",
}
"""Values that have no CSV column; only the Parquet export contains them."""


@dataclass(frozen=True)
class CsvColumn:
    """A CSV column: reads the value at `path` in an attempt, and converts the value with the function `of`.

    Returns None if any value on the path is None.
    """

    path: str
    of: Callable[[Any], Any] = lambda value: value

    def __call__(self, attempt: Recorded) -> Any:
        value: Any = attempt
        for name in self.path.split("."):
            if value is None:
                return None
            value = value.get(name) if isinstance(value, dict) else getattr(value, name)
        return None if value is None else self.of(value)


def _columns() -> dict[str, CsvColumn]:
    columns: dict[str, CsvColumn] = {}
    for field in fields_of(Attempt):
        parts = _PARTS.get(field.name, {})
        for name, part in parts.items():
            columns[name] = CsvColumn(f"{field.name}.{part}") if isinstance(part, str) else CsvColumn(field.name, part)
        taken = _OMITTED | {f"{field.name}.{part}" for part in parts.values()}
        columns |= {path.replace(".", "_"): CsvColumn(path) for path in _cells(field) if path not in taken}
    # later columns follow the earlier ones
    later = [name for name in columns if name.startswith(("critic", "probe", "feedback_ran", "questions"))]
    for name in ("reply", "reasoning_tokens", "cached_tokens", "published", "started_at", "finished_at", *later):
        columns[name] = columns.pop(name)
    return columns


def _cells(field: Field) -> Iterator[str]:
    """Yield the attribute path (such as `verdict.kind`) of each string, number and Boolean in a field of a record.

    A field of type `Query` yields no path.
    """
    if field.record and field.kind is not Query:
        yield from (f"{field.name}.{path}" for inner in fields_of(field.kind) for path in _cells(inner))
    elif field.kind in (str, int, float, bool) or get_origin(field.kind) is Literal:
        yield field.name


COLUMNS = _columns()
"""The CSV columns, with functions that read their values. A field of an attempt that is a string or a number has a
column with the name of the field. The columns of nested fields that `_PARTS` does not list are named `outer_inner`. The
error classes are those of the three taxonomies, or "pass" for an attempt that passed."""


def write(run: Run, out: Path) -> list[Path]:
    """Write one UTF-8 file. Raises UsageError if the file cannot be written."""
    with unfinished(out) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for attempt in with_texts(run.rows):
            writer.writerow([cell(read(attempt)) for read in COLUMNS.values()])
    return [out]


def cell(value: Any) -> Any:
    """Return a value as it is written to a CSV file."""
    if not isinstance(value, str):
        return value
    value = clean(value)
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
