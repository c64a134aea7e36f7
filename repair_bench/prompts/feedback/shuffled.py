"""The placebo: the default policy's feedback on a failure on another task. Both failures are of the same kind.

If the attempt exceeded a limit, the model receives the feedback on its own attempt. Feedback on an exceeded limit is
the same for every task.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, default
from repair_bench.suites.task import Task

NEEDS_DONORS = True


def feedback(task: Task, failure: Failure) -> str:
    """Return the feedback on `failure.donor`, a failure on another task.

    Raises ValueError if `failure.donor` is None.
    """
    if failure.verdict.kind == "limit":
        return default.feedback(task, failure)
    if failure.donor is None:
        raise ValueError(f"shuffled feedback on {task.suite}/{task.id} requires a failure on another task as `donor`")
    return failure.donor.text
