"""The placebo: the default policy's feedback on a failure on another task. Both failures are of the same kind.

Feedback on an exceeded limit is the same for every task, so this feedback is shown unchanged.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, default
from repair_bench.suites.task import Task

NEEDS_DONORS = True


def feedback(task: Task, failure: Failure) -> str:
    """Return the feedback on `failure.donor`, a failure on another task. Raises ValueError if it is missing."""
    if failure.verdict.kind == "limit":
        return default.feedback(task, failure)
    if failure.donor is None:
        raise ValueError(f"shuffled feedback on {task.suite}/{task.id} requires a failure on another task as `donor`")
    return failure.donor.text
