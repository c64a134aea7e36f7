"""CSV for spreadsheets: one attempt a line, nothing nested.

Unknown is an empty field. Line ends inside a text stay, in quotes, as RFC 4180 has it. A text that a spreadsheet would
run as a formula (it begins with =, +, -, @, a tab or a carriage return) gets a ' before it, for models write what they
like; Parquet holds the exact text.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

from repair_bench.traces.exports.values import clean
from repair_bench.traces.records import Attempt
from repair_bench.traces.rows import Run
from repair_bench.traces.taxonomy import QUANBENCH_PLUS, QUANTUM_KATAS, error_class, error_type

_SAME = (
    *("id", "parent", "episode", "run", "model", "suite", "suite_version", "task_id", "framework", "category"),
    *("difficulty", "condition", "sample", "attempt"),
)

COLUMNS: dict[str, Callable[[Attempt], Any]] = {
    **{name: attrgetter(name) for name in _SAME},
    "feedback_policy": lambda a: a.feedback and a.feedback.policy,
    "feedback_text": lambda a: a.feedback and a.feedback.text,
    "prompt": lambda a: a.messages[0]["content"] if a.messages else None,
    "completion": lambda a: a.completion and a.completion.text,
    "prompt_tokens": lambda a: a.completion and (a.completion.usage or {}).get("prompt_tokens"),
    "completion_tokens": lambda a: a.completion and (a.completion.usage or {}).get("completion_tokens"),
    "cost_usd": lambda a: a.completion and a.completion.cost_usd,
    "requests": lambda a: a.completion and a.completion.requests,
    "latency_seconds": lambda a: a.completion and a.completion.latency_seconds,
    "finish_reason": lambda a: a.completion and a.completion.finish_reason,
    "code": lambda a: a.code,
    "outcome": lambda a: a.outcome and a.outcome.status,
    "exception_type": lambda a: a.outcome and a.outcome.exception and a.outcome.exception.type,
    "exception_message": lambda a: a.outcome and a.outcome.exception and a.outcome.exception.message,
    "cpu_seconds": lambda a: a.outcome and a.outcome.cpu_seconds,
    "wall_seconds": lambda a: a.outcome and a.outcome.wall_seconds,
    "verdict": lambda a: a.verdict and a.verdict.kind,
    "error_class": lambda a: a.verdict and error_class(a.verdict),
    "error_type": lambda a: a.verdict and error_type(a.verdict),
    "quanbench_plus": lambda a: a.verdict and QUANBENCH_PLUS.of(a.verdict),
    "quantum_katas": lambda a: a.verdict and QUANTUM_KATAS.of(a.verdict),
    "rule": lambda a: a.verdict and a.verdict.rule,
    "sealed": lambda a: a.verdict and a.verdict.sealed,
    "problem": lambda a: a.verdict and a.verdict.evidence.get("problem"),
    "fault": lambda a: a.fault and a.fault.boundary,
    "fault_message": lambda a: a.fault and a.fault.message,
    "off_policy": lambda a: a.off_policy,
    "writer": lambda a: a.writer,
    "started_at": lambda a: a.started_at,
    "finished_at": lambda a: a.finished_at,
}
"""The columns and how each is read. Those that are a field of the record have its name; the error classes are names in
the three taxonomies, "pass" for a pass."""


def write(run: Run, out: Path) -> list[Path]:
    """Write one file, in UTF-8."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in run.rows:
            attempt = row.whole()
            writer.writerow([_cell(read(attempt)) for read in COLUMNS.values()])
    return [out]


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    value = clean(value)
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
