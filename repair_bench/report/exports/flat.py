"""CSV for spreadsheets: one attempt a line, nothing nested.

Unknown is an empty field. Line ends inside a text stay, in quotes, as RFC 4180 has it. A text that a spreadsheet would
run as a formula (it begins with =, +, -, @, a tab or a carriage return) gets a ' before it, for models write what they
like; Parquet holds the exact text.
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
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.run_reader import Run

_PARTS: dict[str, dict[str, str | Callable[[Any], Any]]] = {
    "feedback": {"feedback_policy": "policy", "feedback_text": "text", "feedback_redacted": "redacted"},
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
"""By field of an attempt, the columns for what it holds: where each stands in it, or how it is read."""
_LEFT_OUT = {
    "feedback.donor",
    "completion.cost_source",
    "completion.cached",
    "completion.served_by",
    "outcome.exception.traceback",
    "outcome.stdout",
    "outcome.sealed",  # a verdict says it
    "fault.retries",
    "schema",
}
"""Texts and numbers without a column; Parquet has them."""


@dataclass(frozen=True)
class CsvColumn:
    """What stands at `path` in an attempt, and `of` it; None where something on the way is None."""

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
        taken = _LEFT_OUT | {f"{field.name}.{part}" for part in parts.values()}
        columns |= {path.replace(".", "_"): CsvColumn(path) for path in _cells(field) if path not in taken}
    # the last ones, in the order in which they came; new fields of an attempt stand before them
    for name in ("reply", "reasoning_tokens", "cached_tokens", "published", "started_at", "finished_at"):
        columns[name] = columns.pop(name)
    return columns


def _cells(field: Field) -> Iterator[str]:
    """Where the texts and numbers of a field stand: itself, or those of the record that it is."""
    if field.record:
        yield from (f"{field.name}.{path}" for inner in fields_of(field.kind) for path in _cells(inner))
    elif field.kind in (str, int, float, bool) or get_origin(field.kind) is Literal:
        yield field.name


COLUMNS = _columns()
"""The columns and how each is read. Those that are a field of the record have its name; a field of a record in it that
`_PARTS` does not name has the names of both. The error classes are names in the three taxonomies, "pass" for a pass."""


def write(run: Run, out: Path) -> list[Path]:
    """Write one file, in UTF-8. Raises UsageError where it cannot be written."""
    with unfinished(out) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for attempt in with_texts(run.rows):
            writer.writerow([_cell(read(attempt)) for read in COLUMNS.values()])
    return [out]


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    value = clean(value)
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
