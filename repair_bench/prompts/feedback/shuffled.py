"""The placebo: what the default policy says of another task's failure of the same kind.

A limit names no task, so another task's feedback reads the same as its own.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, default
from repair_bench.suites.task import Task

NEEDS_DONORS = True


def feedback(task: Task, failure: Failure) -> str:
    """The text shown to the model. Raises ValueError without a donor."""
    if failure.verdict.kind == "limit":
        return default.feedback(task, failure)
    if failure.donor is None:
        raise ValueError(f"shuffled feedback on {task.suite}/{task.id} needs the failure of another task")
    return failure.donor.text
