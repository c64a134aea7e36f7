"""Only that it failed, in the same words whatever happened: what feedback is worth is measured against this."""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task


def feedback(task: Task, failure: Failure) -> str:  # noqa: ARG001
    """The text shown to the model."""
    return render("feedback_verdict", task.language)
