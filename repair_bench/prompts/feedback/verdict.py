"""Feedback that states only that the answer is incorrect, in the same words for every failure."""

from __future__ import annotations

from repair_bench.prompts.feedback import Failure
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task


def feedback(task: Task, failure: Failure) -> str:  # noqa: ARG001
    return render("feedback_verdict", task.language)
