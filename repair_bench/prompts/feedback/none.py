"""No feedback and no history: each attempt is a new, independent sample, as a control."""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure
from repair_bench.suites.task import Task

INDEPENDENT = True


def feedback(task: Task, failure: Failure) -> str:  # noqa: ARG001
    return ""
