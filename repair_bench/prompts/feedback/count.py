"""Feedback that states only the number of incorrect calls; an exception is shown with its traceback."""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure, cases, default
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task


def feedback(task: Task, failure: Failure) -> str:
    """Return the feedback. If the check has only one call, the feedback only states that the answer is incorrect.

    No other evidence is shown. A sentence about the first incorrect call would reveal that all earlier calls are
    correct.
    """
    if failure.verdict.kind != "wrong_answer":
        return default.feedback(task, failure)
    return render("feedback_count", task.language, counted=cases.incorrect(failure.verdict))
