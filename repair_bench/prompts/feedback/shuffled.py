"""The placebo: the default policy's feedback on another task's failure of the same kind.

Feedback on an exceeded limit is the same for every task, so it needs no placebo source.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, default
from repair_bench.suites.task import Task

NEEDS_DONORS = True


def feedback(task: Task, failure: Failure) -> str:
    """Return the feedback on another task (the donor). Raises ValueError if there is no donor."""
    if failure.verdict.kind == "limit":
        return default.feedback(task, failure)
    if failure.donor is None:
        raise ValueError(f"shuffled feedback on {task.suite}/{task.id} needs the failure of another task")
    return failure.donor.text
