"""CSV of hidden and visible instances: one row per attempt and instance, in tidy form.

An answer solves an instance if the answer's cost is at most the slack times the cost of the hidden solution. Success at
any slack can therefore be computed from the columns `cost` (the answer's cost) and `planted` (the hidden solution's
cost). The slack is the budget divided by the cost of the hidden solution.
"""

from __future__ import annotations

import csv
from pathlib import Path

from repair_bench.report.exports.flat import cell
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import unfinished
from repair_bench.traces.record.lazy_attempt import with_texts
from repair_bench.traces.run.run_reader import Run

ATTEMPT = ("episode", "model", "suite", "task_id", "framework", "condition", "sample", "attempt")
INSTANCE = ("size", "hidden", "planted", "budget", "cost", "bound", "cpu", "problem")
"""The columns: fields of the attempt, then fields of each instance in the verdict's evidence."""


def write(run: Run, out: Path) -> list[Path]:
    """Write one UTF-8 file. Raises UsageError if no verdict lists instances, or the file cannot be written."""
    rows = [row for row in run.rows if row.verdict is not None and row.verdict.evidence.get("instances")]
    if not rows:
        raise UsageError("No task in the run has hidden instances. Use --format csv for one row per attempt.")
    with unfinished(out) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*ATTEMPT, "family", "instance", *INSTANCE])
        for attempt in with_texts(rows):
            assert attempt.verdict is not None
            named = [getattr(attempt, name) for name in ATTEMPT]
            family = attempt.task_id.rpartition("-")[0]
            for number, one in enumerate(attempt.verdict.evidence["instances"]):
                writer.writerow(map(cell, [*named, family, number, *(one.get(name) for name in INSTANCE)]))
    return [out]
