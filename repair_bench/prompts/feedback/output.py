"""What came out of the program: the values it returned, or the exception without its traceback.

Of the right answer it reveals what the default policy does.
"""

from __future__ import annotations

from repair_bench.prompts.feedback import default
from repair_bench.prompts.feedback.failure import Failure
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Verdict


def feedback(task: Task, failure: Failure) -> str:
    """The text shown to the model."""
    verdict = failure.verdict
    if verdict.kind == "exception":
        return render("feedback_output_exception", task.language, problem=_raised(verdict))
    if verdict.kind == "wrong_answer":
        return default.wrong_answer(task, verdict)
    return default.feedback(task, failure)


def _raised(verdict: Verdict) -> str:
    evidence = verdict.evidence
    if not evidence["traceback"]:
        return str(evidence["message"])  # the process died, and nothing was raised
    return f"{evidence['type']}: {evidence['message']}".removesuffix(": ")
